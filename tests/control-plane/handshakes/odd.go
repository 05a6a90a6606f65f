package main

import (
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"math/big"
	"strings"
	"time"
)

// malformed are certificates that Go's parser refuses, whoever signed them, and some that are near to them.
func malformed() []kind {
	// A key of more bits than Go takes, of which nobody has the other half.
	large := func() *rsa.PublicKey {
		modulus := got(rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 8200)))
		return &rsa.PublicKey{N: modulus.SetBit(modulus, 8200, 1).SetBit(modulus, 0, 1), E: 65537}
	}
	named := func(name string, more ...asn1.RawValue) kind {
		return extended(name, alternativeNames(append([]asn1.RawValue{address()}, more...)...))
	}
	subject := func(name, value string) kind {
		return leaf(name, func(made *x509.Certificate) {
			printable := asn1.RawValue{Tag: asn1.TagPrintableString, Bytes: []byte(value)}
			made.Subject.ExtraNames = []pkix.AttributeTypeAndValue{{Type: asn1.ObjectIdentifier{2, 5, 4, 10}, Value: printable}}
		})
	}
	return []kind{
		{"a serial number below nought", func() handshake { return serialled(0xff) }},
		{"an authority with a serial number below nought", func() handshake {
			authority := reserialled(ca("authority"), nil, 0xff)
			return under(signed(server(), p256(), root()), authority)
		}},
		{"an authority between with a serial number below nought", func() handshake {
			authority := root()
			between := reserialled(ca("between"), authority, 0xff)
			return under(signed(server(), p256(), authority), authority, between)
		}},
		{"a stranger in the chain that is no certificate", func() handshake {
			authority := root()
			return under(signed(server(), p256(), authority), authority, &identity{der: []byte("nothing")})
		}},
		{"a stranger in the chain with a key of 8,201 bits", func() handshake {
			authority := root()
			issuer := got(x509.ParseCertificate(authority.der))
			stranger := &identity{der: got(x509.CreateCertificate(rand.Reader, ca("large"), issuer, large(), authority.key))}
			return under(signed(server(), p256(), authority), authority, stranger)
		}},
		named("a URI beside the address", rawName(6, "spiffe://cluster.local/ns/kube-system/sa/api")),
		named("a URI of no host beside the address", rawName(6, "urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6")),
		named("a URI that is none beside the address", rawName(6, "http://a..b/")),
		named("a URI of letters beyond ASCII in its escapes beside the address", rawName(6, "https://a.example/%zz")),
		named("an IP address of 17 bytes beside the address", rawName(7, strings.Repeat("x", 17))),
		named("a DNS name beyond ASCII beside the address", rawName(2, "k\xc3\xbcche.example")),
		subject("a subject of characters that its type does not have", "a@b"),
		subject("a subject with an asterisk", "*.example"),
		extended("an extension twice", unknown(false), unknown(false)),
		extended("an authority's key identifier that is critical", pkix.Extension{Id: extension(35), Critical: true, Value: []byte{0x30, 0}}),
		extended("a subject's key identifier that is critical", pkix.Extension{Id: extension(14), Critical: true, Value: []byte{4, 1, 1}}),
		extended("an authority's address that is critical", pkix.Extension{
			Id: asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 1, 1}, Critical: true, Value: []byte{0x30, 0},
		}),
		extended("places of revocation lists that do not read", pkix.Extension{Id: extension(31), Value: []byte{5, 0}}),
		extended("a policy twice", pkix.Extension{Id: extension(32), Value: policies(1, 1)}),
		extended("two policies", pkix.Extension{Id: extension(32), Value: policies(1, 2)}),
	}
}

// constrained are authorities that bind those below them.
func constrained() []kind {
	between := func(name string, more ...pkix.Extension) kind {
		return kind{name, func() handshake {
			authority, made := root(), ca("between")
			made.ExtraExtensions = more
			inner := signed(made, p256(), authority)
			return under(signed(server(), p256(), inner), authority, inner)
		}}
	}
	limited := func(name string, more ...pkix.Extension) kind {
		return issued(name, func(made *x509.Certificate) { made.ExtraExtensions = more })
	}
	forbidAny := pkix.Extension{Id: extension(54), Value: []byte{2, 1, 0}}
	critical := func(of pkix.Extension) pkix.Extension {
		of.Critical = true
		return of
	}
	requireExplicit := pkix.Extension{Id: extension(36), Value: []byte{0x30, 3, 0x80, 1, 0}}
	return []kind{
		limited("an authority with a key usage of no bit", pkix.Extension{Id: extension(15), Critical: true, Value: []byte{3, 1, 0}}),
		limited("an authority with name constraints for directories", constraints(rawName(4, "\x30\x00"))),
		limited("an authority with name constraints for e-mail addresses", constraints(rawName(1, "b.example"))),
		limited("an authority with name constraints for an address of three bytes", constraints(rawName(7, "abc"))),
		limited("an authority with name constraints for a mask with a hole", constraints(rawName(7, "\x7f\x00\x00\x01\xff\x00\xff\x00"))),
		limited("an authority with name constraints for a host", constraints(rawName(2, "localhost"))),
		limited("an authority that requires a policy", requireExplicit),
		between("an authority between that requires a policy", requireExplicit),
		between("an authority between that forbids any policy", forbidAny),
		between("an authority between that forbids any policy, which is critical", critical(forbidAny)),
		{"an authority with the name, the key and the names of the server", func() handshake {
			key, made := p256(), ca("server")
			made.IPAddresses, made.DNSNames = server().IPAddresses, server().DNSNames
			authority := signed(made, key, nil)
			return under(signed(server(), key, authority), authority)
		}},
		{"an authority with the name and the key of the server", func() handshake {
			key := p256()
			authority := signed(ca("server"), key, nil)
			return under(signed(server(), key, authority), authority)
		}},
	}
}

// trusted are servers that are trusted otherwise than by a kubeconfig's authority.
func trusted() []kind {
	ordinary := func() handshake {
		authority := root()
		return under(signed(server(), p256(), authority), authority)
	}
	insecure := func(name string, make func() handshake) kind {
		return kind{name + ", not verified", func() handshake {
			made := make()
			made.authority, made.insecure = nil, true
			return made
		}}
	}
	system := func(name string, make func() handshake) kind {
		return kind{name + " of the system", func() handshake {
			made := make()
			made.system = true
			return made
		}}
	}
	made := func(of kind) func() handshake { return of.make }
	return []kind{
		insecure("an unknown authority", ordinary),
		insecure("a certificate of another address", made(leaf("", func(made *x509.Certificate) { made.IPAddresses = nil }))),
		insecure("a server key of ECDSA P-521", func() handshake {
			authority := root()
			return under(signed(server(), ec(elliptic.P521()), authority), authority)
		}),
		insecure("a serial number below nought", func() handshake { return serialled(0xff) }),
		system("an authority", ordinary),
		system("an authority of version 1 that has expired", made(ofVersion1("", -48*time.Hour, -time.Hour))),
		system("an authority that may not sign certificates", made(issued("", func(made *x509.Certificate) {
			made.KeyUsage = x509.KeyUsageDigitalSignature
		}))),
	}
}

// extended is a kind whose server's certificate has more extensions.
func extended(name string, more ...pkix.Extension) kind {
	return leaf(name, func(made *x509.Certificate) { made.ExtraExtensions = more })
}

// extension is the identifier of an extension of the standard.
func extension(last int) asn1.ObjectIdentifier { return asn1.ObjectIdentifier{2, 5, 29, last} }

// rawName is a name of any kind, whatever stands in it.
func rawName(tag int, value string) asn1.RawValue {
	return asn1.RawValue{Class: asn1.ClassContextSpecific, Tag: tag, IsCompound: tag == 4, Bytes: []byte(value)}
}

// address is the name that the servers are reached by.
func address() asn1.RawValue { return rawName(7, "\x7f\x00\x00\x01") }

func alternativeNames(names ...asn1.RawValue) pkix.Extension {
	return pkix.Extension{Id: extension(17), Value: got(asn1.Marshal(names))}
}

// constraints permit what is below a name and nothing else of its kind.
func constraints(base asn1.RawValue) pkix.Extension {
	type subtree struct{ Base asn1.RawValue }
	value := struct {
		Permitted []subtree `asn1:"optional,tag:0"`
	}{[]subtree{{base}}}
	return pkix.Extension{Id: extension(30), Critical: true, Value: got(asn1.Marshal(value))}
}

func policies(last ...int) []byte {
	type information struct{ Policy asn1.ObjectIdentifier }
	var all []information
	for _, last := range last {
		all = append(all, information{asn1.ObjectIdentifier{1, 3, 6, 1, 4, 1, 99999, last}})
	}
	return got(asn1.Marshal(all))
}

// serversElsewhere is an extension that nobody knows and that holds the identifier of a server's use.
func serversElsewhere() pkix.Extension {
	use := got(asn1.Marshal(asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 3, 1}))
	return pkix.Extension{Id: asn1.ObjectIdentifier{1, 3, 6, 1, 4, 1, 99999, 2}, Value: use}
}
