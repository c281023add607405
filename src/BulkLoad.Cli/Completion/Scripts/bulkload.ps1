# Completion of bulkload for PowerShell: bulkload completion powershell | Out-String | Invoke-Expression

Register-ArgumentCompleter -Native -CommandName bulkload -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $typed = @(foreach ($element in $commandAst.CommandElements) {
        if ($element.Extent.StartOffset -lt $cursorPosition) {
            if ($element -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $element.Value } else { $element.Extent.Text }
        }
    })
    $program = $typed[0]
    $words = @($typed | Select-Object -Skip 1)

    # What may be a password is not passed on, since others can see it in the list of processes.
    $secret = '^(-p.+|--password=.*)$'
    if ($wordToComplete -cmatch $secret -or $wordToComplete -match '://') { return }
    $words = @($words | ForEach-Object { if ($_ -cmatch $secret) { '-p' } elseif ($_ -match '://') { 'x://' } else { $_ } })

    if ($wordToComplete -eq '') {
        # Older versions leave an empty word out on the way to a program.
        $words += if ($PSVersionTable.PSVersion -lt [version]'7.3') { '""' } else { '' }
    }

    $answers = @(& $program complete '--' @words 2>$null)
    if ($answers.Count -eq 0) { return }

    $answers | Select-Object -Skip 1 | ForEach-Object {
        $name, $meaning = $_ -split "`t", 2
        if (-not $meaning) { $meaning = $name }
        $text = if ($name -match '[\s''"`;&|<>(){}$#@]') { "'" + $name.Replace("'", "''") + "'" } else { $name }
        [System.Management.Automation.CompletionResult]::new($text, $name, 'ParameterValue', $meaning)
    }

    if ($answers[0] -eq ':files' -or $answers[0] -eq ':folders') {
        $before, $path = if ($wordToComplete -match '^(--[^=]*=)(.*)$') { $Matches[1], $Matches[2] } else { '', $wordToComplete }
        [System.Management.Automation.CompletionCompleters]::CompleteFilename($path) | ForEach-Object {
            if ($answers[0] -eq ':files' -or $_.ResultType -eq 'ProviderContainer') {
                [System.Management.Automation.CompletionResult]::new($before + $_.CompletionText, $_.ListItemText, $_.ResultType, $_.ToolTip)
            }
        }
    }
}
