# Completion of bulkload for fish: bulkload completion fish > ~/.config/fish/completions/bulkload.fish

function __bulkload_complete
    set -l typed (commandline -opc)
    set -l current (commandline -ct)

    # What may be a password is not passed on, since others can see it in the list of processes.
    set -l secret '^(-p.+|--password=.*)$'
    string match -qr -- $secret "$current"; and return
    string match -qr -- '://' "$current"; and return
    set typed (string replace -r -- $secret -p $typed | string replace -r -- '^.*://.*$' x://)

    set -l answers ($typed[1] complete -- $typed[2..-1] "$current" 2>/dev/null)
    test (count $answers) -gt 0; or return
    for answer in $answers[2..-1]
        echo $answer
    end

    # A path behind --option= is completed with the option before it.
    set -l before (string match -r -- '^--[^=]*=' "$current")
    set -l path (string replace -r -- '^--[^=]*=' '' "$current")
    switch $answers[1]
        case ':files*'
            for file in (complete -C "'' $path")
                echo "$before$file"
            end
        case ':folders*'
            for folder in (__fish_complete_directories "$path" '')
                echo "$before$folder"
            end
    end
end

complete -c bulkload -f -a '(__bulkload_complete)'
