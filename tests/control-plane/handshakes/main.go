// Servers whose TLS handshakes are out of the ordinary, for the tests: each of a kind of its own, by its certificate, its
// key, its chain or what it speaks. Standard library only.
//
// One line of JSON says how to reach each: name, server, authority and, for some, a client's certificate. They serve
// until standard input ends.
package main

import (
	"crypto/tls"
	"encoding/json"
	"io"
	"log"
	"net"
	"net/http"
	"os"
)

// A kind of server.
type kind struct {
	name string
	make func() handshake
}

// What a kind is made of.
type handshake struct {
	config    *tls.Config
	authority []byte
	client    *identity
	// The server is not verified.
	insecure bool
	// The authority is the system's.
	system bool
	// No TLS at all.
	plain bool
}

// How a server is reached.
type line struct {
	Name      string `json:"name"`
	Server    string `json:"server"`
	Authority string `json:"authority"`
	Client    string `json:"client,omitempty"`
	Key       string `json:"key,omitempty"`
	Insecure  bool   `json:"insecure,omitempty"`
	System    bool   `json:"system,omitempty"`
}

func main() {
	log.SetOutput(io.Discard)
	var told []line
	for _, kind := range kinds() {
		made := kind.make()
		one := line{Name: kind.name, Server: "https://" + serve(made), Authority: string(made.authority), Insecure: made.insecure, System: made.system}
		if made.client != nil {
			one.Client, one.Key = made.client.pem()
		}
		told = append(told, one)
	}
	must(json.NewEncoder(os.Stdout).Encode(told))
	io.Copy(io.Discard, os.Stdin)
}

// serve starts a server on a free port of the loopback: it has a version, and forbids the rest.
func serve(made handshake) string {
	listener := got(net.Listen("tcp", "127.0.0.1:0"))
	address := listener.Addr().String()
	if !made.plain {
		listener = tls.NewListener(listener, made.config)
	}
	go http.Serve(listener, http.HandlerFunc(answer))
	return address
}

func answer(writer http.ResponseWriter, request *http.Request) {
	writer.Header().Set("Content-Type", "application/json")
	if request.URL.Path == "/version" {
		io.WriteString(writer, `{"major":"1","minor":"37","gitVersion":"v1.37.1"}`)
		return
	}
	writer.WriteHeader(http.StatusForbidden)
	io.WriteString(writer, `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"forbidden","reason":"Forbidden","code":403}`)
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func got[T any](value T, err error) T {
	must(err)
	return value
}
