package image

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
)

// TestEndlessRedirects has registries that redirect requests endlessly.
func TestEndlessRedirects(t *testing.T) {
	isolate(t)
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

// TestWaitsCount has a server that asks to wait again and again: all waits for an image have a limit.
func TestWaitsCount(t *testing.T) {
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(http.StatusTooManyRequests)
	}))
	defer server.Close()
	tr := newTransport(false)
	tr.budget = newRequestBudget(1900 * time.Millisecond)
	for range 3 {
		if r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, nil); err != nil {
			t.Fatal(err)
		} else if answer, err := tr.RoundTrip(r); err == nil {
			answer.Body.Close()
		}
	}
	if n := asked.Load(); n != 4 { // after the first answer it waits
		t.Errorf("asked %d times", n)
	}
}

// TestSlowRegistry does not ask a registry any more that was too slow for many images.
func TestSlowRegistry(t *testing.T) {
	p, err := NewPuller(t.TempDir(), Options{}, func(string) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	ref := name.MustParseReference("127.0.0.1:1/a:v1")
	if _, slow := errors.AsType[tooSlow](registryError(t.Context(), ref, &url.Error{Err: errSlow})); !slow {
		t.Error("errSlow is lost")
	}
	_, err = p.Pull(t.Context(), ref.String())
	wantError(t, err, "refuses the connection")
	p.slow["127.0.0.1:1"] = maxSlow
	_, err = p.Pull(t.Context(), ref.String())
	wantError(t, err, "no longer contacted")
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
	if p.remainingWait() != time.Second {
		t.Error(p.remainingWait())
	}
	p.spend(time.Second/2, minRate)
	if p.remainingWait() != 3*time.Second/2 {
		t.Error(p.remainingWait())
	}
	p.spend(0, 100*minRate)
	if p.remainingWait() != 10*time.Second {
		t.Error(p.remainingWait())
	}
	p.spend(time.Minute, 0)
	if p.remainingWait() != 0 {
		t.Error(p.remainingWait())
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
