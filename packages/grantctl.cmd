@rem Starts grantctl with the Node that came with it, wherever it was unpacked.
@"%~dp0lib\grantctl\node.exe" "%~dp0lib\grantctl\bin\grantctl.js" %*
