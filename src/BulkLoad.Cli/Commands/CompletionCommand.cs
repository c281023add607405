using System.CommandLine;

namespace BulkLoad.Cli.Commands;

internal sealed class CompletionCommand : JobCommand
{
    public static readonly CommandEntry Entry = new(
        "completion", "Print a script by which a shell completes commands, options, files, tables and columns.",
        (_, context) => new CompletionCommand(context));

    public static readonly string[] Shells = ["bash", "zsh", "fish", "powershell"];

    private readonly Argument<string[]> _shell = new("SHELL") { Arity = ArgumentArity.ZeroOrMore, Description = string.Join(", ", Shells) };

    public CompletionCommand(CommandContext context) : base(Entry, string.Join('|', Shells),
    [
        ("source <(bulkload completion bash)", "in ~/.bashrc, or a file in ~/.local/share/bash-completion/completions named bulkload"),
        ("bulkload completion zsh > ~/.zfunc/_bulkload", "with ~/.zfunc in fpath; or source <(bulkload completion zsh) behind compinit"),
        ("bulkload completion fish > ~/.config/fish/completions/bulkload.fish", "fish reads it by itself"),
        ("bulkload completion powershell | Out-String | Invoke-Expression", "in the file that $PROFILE names"),
    ])
    {
        Arguments.Add(_shell);
        SetAction((words, _) =>
        {
            var shell = words.GetValue(_shell) is [var name] && Shells.Contains(name) ? name
                : throw new RequestException($"completion: name one shell: {string.Join(", ", Shells)}");
            context.Output.PrintJson(to => to.Write(ScriptOf(shell)));
            return Task.FromResult((int)ExitCode.Done);
        });
    }

    internal static string ScriptOf(string shell)
    {
        using var script = typeof(CompletionCommand).Assembly.GetManifestResourceStream($"completion.{shell}")!;
        using var text = new StreamReader(script);
        return text.ReadToEnd();
    }
}
