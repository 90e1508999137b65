// The script for PowerShell, 5.1 and later. The words stand in tables of single-quoted texts, which PowerShell does not
// look into; it takes typographic quotes for quotes, too.
import type { Values } from "./values.ts";
import { formsOf, type CommandNode, type Flag, type WordTree } from "./word-tree.ts";

/** The script, for Invoke-Expression or a profile. */
export function writePowershell({ nodes, globals }: WordTree): string {
  const flags = [
    ...nodes.flatMap((node) => node.flags.map((flag) => flagRow(pathOf(node), flag))),
    ...globals.map((flag) => flagRow("*", flag)),
  ];
  return `# PowerShell completion for grantctl; made by: grantctl completion powershell
Register-ArgumentCompleter -Native -CommandName 'grantctl' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $commands = @(
${nodes.flatMap(commandRows).join("\n")}
    )
    # Flags of every command are in *, behind those of a command that have the same name.
    $flags = @(
${flags.join("\n")}
    )
    $arguments = @(
${nodes.flatMap(argumentRows).join("\n")}
    )

${engine}}
`;
}

function pathOf({ path }: CommandNode): string {
  return path.join(" ");
}

function commandRows(node: CommandNode): readonly string[] {
  return node.commands.map((child) => {
    const name = child.path.at(-1) ?? "";
    return row({
      At: pathOf(node),
      Name: name,
      Forms: [name, ...child.aliases].join(" "),
      Means: child.description,
    });
  });
}

function flagRow(where: string, flag: Flag): string {
  return row({
    At: where,
    Forms: formsOf(flag).join(" "),
    ...described(flag.values),
    Optional: flag.isValueOptional,
    Again: flag.isRepeatable,
    Means: flag.description,
  });
}

function argumentRows(node: CommandNode): readonly string[] {
  return node.positionals.map(({ values, isVariadic }, index) =>
    row({ At: pathOf(node), Index: String(index), Rest: isVariadic, ...described(values) }),
  );
}

function described(values: Values | null): { readonly Kind: string; readonly Words: string } {
  if (values === null) return { Kind: "", Words: "" };
  const words = "words" in values ? values.words.join(" ") : values.kind === "local" ? values.of : "";
  return { Kind: values.kind, Words: words };
}

function row(fields: Readonly<Record<string, string | boolean>>): string {
  const parts = Object.entries(fields).map(
    ([name, value]) => `${name} = ${typeof value === "string" ? quote(value) : value ? "$true" : "$false"}`,
  );
  return `        @{ ${parts.join("; ")} }`;
}

function quote(text: string): string {
  return `'${text.replaceAll(/['\u2018-\u201b]/g, "$&$&")}'`;
}

const engine = `    $findFlag = {
        param($form)
        foreach ($row in $flags) {
            if (($row.At -ceq $path -or $row.At -ceq '*') -and ($row.Forms -split ' ') -ccontains $form) { return $row }
        }
    }
    $findArgument = {
        foreach ($row in $arguments) {
            if ($row.At -ceq $path -and ($row.Rest -or $row.Index -eq $count)) { return $row }
        }
    }

    $path = ''
    $count = 0
    $ended = $false
    $flag = $null
    $used = @()
    $elements = @($commandAst.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursorPosition })
    foreach ($element in @($elements | Select-Object -Skip 1)) {
        $word = $element.Extent.Text -replace '^[''"]|[''"]$', ''
        if ($null -ne $flag) {
            $isValue = -not ($flag.Optional -and $word.StartsWith('-'))
            $flag = $null
            if ($isValue) { continue }
        }
        if (-not $ended -and $word -ceq '--') {
            $ended = $true
            continue
        }
        if (-not $ended -and $word.Length -gt 1 -and $word.StartsWith('-')) {
            $form = ($word -split '=', 2)[0]
            $used += $form
            $found = & $findFlag $form
            if ($null -ne $found -and $found.Kind -ne '' -and -not $word.Contains('=')) { $flag = $found }
            continue
        }
        $next = $null
        foreach ($command in $commands) {
            if (-not $ended -and $command.At -ceq $path -and ($command.Forms -split ' ') -ccontains $word) { $next = $command }
        }
        if ($null -ne $next) {
            $path = ($path + ' ' + $next.Name).Trim()
            continue
        }
        $argument = & $findArgument
        if ($null -ne $argument -and $argument.Kind -eq 'program') { $ended = $true }
        $count++
    }

    $current = $wordToComplete -replace '^[''"]|[''"]$', ''
    $offer = {
        param($text, $type, $means)
        if (-not $text.StartsWith($current, [StringComparison]::Ordinal)) { return }
        $typed = $text
        if ($text -notmatch '^[A-Za-z0-9_./:=+-]+$') { $typed = "'" + $text.Replace("'", "''") + "'" }
        if ([string]::IsNullOrEmpty($means)) { $means = $text }
        [System.Management.Automation.CompletionResult]::new($typed, $text, $type, $means)
    }
    $offerValues = {
        param($row, $before)
        switch ($row.Kind) {
            'words' {
                foreach ($word in $row.Words -split ' ') { & $offer ($before + $word) 'ParameterValue' $word }
            }
            'fields' {
                $list = $current.Substring($before.Length)
                $list = $list.Substring(0, $list.LastIndexOf(',') + 1)
                foreach ($word in $row.Words -split ' ') {
                    if (($list -split ',') -cnotcontains $word) { & $offer ($before + $list + $word) 'ParameterValue' $word }
                }
            }
            'local' {
                foreach ($line in @(& grantctl completion --values $row.Words 2>$null)) {
                    $parts = $line -split [char]9, 2
                    & $offer ($before + $parts[0]) 'ParameterValue' $parts[1]
                }
            }
        }
    }

    $results = @(
        if ($null -ne $flag -and -not ($flag.Optional -and $current.StartsWith('-'))) {
            & $offerValues $flag ''
            $kind = $flag.Kind
        } elseif (-not $ended -and $current -cmatch '^--[^=]+=') {
            $flag = & $findFlag $Matches[0].TrimEnd('=')
            if ($null -ne $flag) { & $offerValues $flag $Matches[0] }
            $kind = 'text'
        } elseif (-not $ended -and $current.StartsWith('-')) {
            $seen = @()
            foreach ($row in $flags) {
                if ($row.At -cne $path -and $row.At -cne '*') { continue }
                foreach ($form in $row.Forms -split ' ') {
                    if ($seen -ccontains $form) { continue }
                    $seen += $form
                    if ($row.Again -or $used -cnotcontains $form) { & $offer $form 'ParameterName' $row.Means }
                }
            }
            $kind = 'text'
        } else {
            foreach ($command in $commands) {
                if (-not $ended -and $command.At -ceq $path) { & $offer $command.Name 'ParameterValue' $command.Means }
            }
            $argument = & $findArgument
            $kind = 'text'
            if ($null -ne $argument) {
                & $offerValues $argument ''
                $kind = $argument.Kind
            }
        }
    )
    # Where nothing is returned, PowerShell offers files; an empty text keeps it from that.
    if ($results.Count -gt 0) { $results } elseif ($kind -notin 'file', 'folder', 'program') { '' }
`;
