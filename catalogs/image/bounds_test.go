package image

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestEndlessRedirects has registries that redirect requests endlessly.
func TestEndlessRedirects(t *testing.T) {
	alone(t)
	img := imageSaying(t, "linux/amd64", "amd")
	layers, err := img.Layers()
	if err != nil {
		t.Fatal(err)
	}
	layer := digestStr(t, layers[0])
	tests := map[string]func(w http.ResponseWriter, r *http.Request, n int64) bool{
		"manifests": func(w http.ResponseWriter, r *http.Request, n int64) bool {
			return away(w, r, strings.Contains(r.URL.Path, "/manifests/"), n)
		},
		"blobs": func(w http.ResponseWriter, r *http.Request, n int64) bool {
			return away(w, r, strings.Contains(r.URL.Path, layer), n)
		},
		"everything": func(w http.ResponseWriter, r *http.Request, n int64) bool { return away(w, r, true, n) },
		"tokens": func(w http.ResponseWriter, r *http.Request, n int64) bool {
			if strings.HasPrefix(r.URL.Path, "/token") {
				return away(w, r, true, n)
			}
			w.Header().Set("WWW-Authenticate", fmt.Sprintf(`Bearer realm="http://%s/token",service="test"`, r.Host))
			w.WriteHeader(http.StatusUnauthorized)
			return true
		},
	}
	for name, redirect := range tests {
		t.Run(name, func(t *testing.T) {
			var asked atomic.Int64
			var broken atomic.Bool
			host := serve(t, func(w http.ResponseWriter, r *http.Request) bool {
				return broken.Load() && redirect(w, r, asked.Add(1))
			})
			push(t, host+"/ns/one:v1", img)
			broken.Store(true)
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
			defer cancel()
			_, err := Open(ctx, Registry, host+"/ns/one:v1", Options{})
			if n := asked.Load(); n > 50 || errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("asked %d times: %v", n, err)
			}
			wantError(t, err, "redirects")
		})
	}
}

func away(w http.ResponseWriter, r *http.Request, really bool, n int64) bool {
	if really {
		http.Redirect(w, r, fmt.Sprintf("%s?%d", r.URL.Path, n), http.StatusTemporaryRedirect)
	}
	return really
}

// TestSlowServer has a server that sends single bytes slowly and endlessly.
func TestSlowServer(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			io.WriteString(w, "x")
			w.(http.Flusher).Flush()
			time.Sleep(5 * time.Millisecond)
		}
	}))
	defer server.Close()
	transport := newTransport(false)
	transport.budget = newRequestBudget(300 * time.Millisecond)
	answer, err := (&http.Client{Transport: transport}).Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	late := time.AfterFunc(10*time.Second, func() { answer.Body.Close() })
	text, err := io.ReadAll(answer.Body)
	if !late.Stop() || !errors.Is(err, errSlow) || len(text) == 0 {
		t.Errorf("%d bytes, %v", len(text), err)
	}
	if again, err := (&http.Client{Transport: transport}).Get(server.URL); !errors.Is(err, errSlow) { // nothing is left for another request
		t.Errorf("asked again: %v", err)
		if err == nil {
			again.Body.Close() // or the server waits for it
		}
	}
}

// TestRequestBudget spends waiting time and regains it by received bytes, but never more than there was at first.
func TestRequestBudget(t *testing.T) {
	p := newRequestBudget(10 * time.Second)
	p.spend(9*time.Second, 0)
	if p.remaining() != time.Second {
		t.Error(p.remaining())
	}
	p.spend(time.Second/2, minRate)
	if p.remaining() != 3*time.Second/2 {
		t.Error(p.remaining())
	}
	p.spend(0, 100*minRate)
	if p.remaining() != 10*time.Second {
		t.Error(p.remaining())
	}
	p.spend(time.Minute, 0)
	if p.remaining() != 0 {
		t.Error(p.remaining())
	}
}

// TestManyRequests has a registry that causes another request each time.
func TestManyRequests(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer server.Close()
	transport := newTransport(false)
	client := &http.Client{Transport: transport}
	for n := range maxRequests + 1 {
		answer, err := client.Get(server.URL)
		if (err != nil) != (n == maxRequests) || err != nil && !errors.Is(err, errManyRequests) {
			t.Fatalf("request %d: %v", n+1, err)
		}
		if err == nil {
			answer.Body.Close()
		}
	}
}
