# A static olmgraph that needs no rights, with Graphviz compiled beforehand, so that the first picture is as fast as the next.
# It runs as any user; for another one than 65532 it compiles Graphviz each time.
FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags='-s -w' -o /out/olmgraph . \
 && mkdir -m 700 /out/cache \
 && XDG_CACHE_HOME=/out/cache /out/olmgraph render testdata/catalogs/harbour harbour -o /tmp/warm.svg \
 && chown -R 65532:65532 /out/cache

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /out/olmgraph /usr/bin/olmgraph
COPY --from=build --chown=65532:65532 /out/cache /cache
USER 65532:65532
ENV XDG_CACHE_HOME=/cache TMPDIR=/cache
WORKDIR /work
ENTRYPOINT ["/usr/bin/olmgraph"]
