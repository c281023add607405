# shellcheck shell=bash
# Certificates for the servers of one set, signed by a CA of their own.
# Sourced by ../servers.sh, which sets the shared variables.
# shellcheck disable=SC2154

readonly tls_files=(ca.pem server-cert.pem server-key.pem client-cert.pem client-key.pem other-ca.pem)

has_tls() {
    local file
    for file in "${tls_files[@]}"; do [[ -s $tls/$file ]] || return 1; done
}

make_tls() {
    has openssl || install_packages openssl
    rm -rf "$tls" "$tls.new"
    mkdir -m 700 "$tls.new"
    quietly sign_all "$tls.new" || die "openssl could not make the test certificates"
    mv "$tls.new" "$tls"
    say "made the test certificates"
}

sign_all() {
    cd "$1" && write_tls_configuration &&
        make_ca ca "bulkload test CA" &&
        make_ca other-ca "bulkload unrelated CA" &&
        make_certificate server localhost &&
        make_certificate client "bulkload test client"
}

# Our own file, for the machine's openssl.cnf may add extensions.
write_tls_configuration() {
    cat >openssl.cnf <<'END'
[req]
distinguished_name = name
prompt = no
[name]
[ca]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash
[server]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature, keyEncipherment
extendedKeyUsage = serverAuth
subjectAltName = DNS:localhost, IP:127.0.0.1
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
[client]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = clientAuth
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
END
}

make_ca() {
    openssl req -x509 -config openssl.cnf -extensions ca -newkey rsa:2048 -nodes -sha256 -days 3650 \
        -subj "/CN=$2" -keyout "$1-key.pem" -out "$1.pem"
}

make_certificate() {
    openssl req -new -config openssl.cnf -newkey rsa:2048 -nodes -sha256 \
        -subj "/CN=$2" -keyout "$1-key.pem" -out "$1.csr" &&
        openssl x509 -req -in "$1.csr" -CA ca.pem -CAkey ca-key.pem -CAcreateserial -sha256 -days 3650 \
            -extfile openssl.cnf -extensions "$1" -out "$1-cert.pem"
}
