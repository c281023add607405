# Finds the source of Debian itself in one apt source file, of either format, and prints its fields URIs and Signed-By.
# In: -v codename=bookworm

function has_word(text, pattern,    words, count, i) {
    count = split(text, words, /[ \t\n]+/)
    for (i = 1; i <= count; i++) if (words[i] ~ "^(" pattern ")$") return 1
    return 0
}

function report(uris, types, suites, components, keyring,    words) {
    # awk runs END after exit as well.
    if (reported) return
    if (!has_word(types, "deb") || !has_word(components, "main")) return
    if (!has_word(suites, codename "|stable|testing|unstable|sid")) return
    split(uris, words, /[ \t\n]+/)
    print "URIs: " (words[1] == "" ? words[2] : words[1])
    if (keyring != "") print "Signed-By:" keyring
    reported = 1
    exit
}

# The fields of a stanza may go on in indented lines, an embedded key always does.
function end_of_stanza() {
    if ("uris" in field && tolower(field["enabled"]) !~ /no|false|0/)
        report(field["uris"], field["types"], field["suites"], field["components"], field["signed-by"])
    split("", field)
}

/^[ \t]*#/ { next }

/^deb[ \t]/ {
    options = ""
    if (match($0, /\[[^]]*\]/)) {
        options = substr($0, RSTART + 1, RLENGTH - 2)
        $0 = "deb " substr($0, RSTART + RLENGTH)
    }
    keyring = ""
    if (match(options, /signed-by=[^ \t]+/)) keyring = " " substr(options, RSTART + 10, RLENGTH - 10)
    gsub(/,/, " ", keyring)
    report($2, "deb", $3, $0, keyring)
    next
}

/^[ \t]*$/ { end_of_stanza(); next }

/^[A-Za-z-]+:/ {
    name = tolower(substr($0, 1, index($0, ":") - 1))
    field[name] = substr($0, index($0, ":") + 1)
    next
}

/^[ \t]/ { field[name] = field[name] "\n" $0 }

END { end_of_stanza() }
