# A Homebrew formula, for a tap of one's own. `url` and `sha256` are those of the release's npm tarball, which
# `npm run package` makes and lists in SHA256SUMS.
class Grantctl < Formula
  desc "Manage OAuth grants and tokens from the command line"
  homepage "https://example.com/grantctl"
  url "https://example.com/releases/grantctl-0.3.0.tgz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license "MIT"

  depends_on "node"

  def install
    system "npm", "install", *std_npm_args
    bin.install_symlink libexec/"bin/grantctl"
    generate_completions_from_executable(bin/"grantctl", "completion")
    man1.install_symlink libexec/"lib/node_modules/grantctl/dist/grantctl.1"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/grantctl --version")
    # The whole service is inside, so the real thing can be tried without a network.
    listed = shell_output("#{bin}/grantctl sandbox run -- #{bin}/grantctl grant list --jq '.[0].id'")
    assert_match(/\A\d+\n\z/, listed)
  end
end
