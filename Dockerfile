# The image of a release: an olmgraph that needs no rights, no other files and no writable root. .ci/release prepares the folder
# that this copies, with Graphviz compiled for the user 65532; for another one it is compiled each time.
FROM scratch
COPY etc /etc
COPY usr /usr
COPY --chown=65532:65532 cache /cache
USER 65532:65532
ENV XDG_CACHE_HOME=/cache TMPDIR=/cache
WORKDIR /work
ENTRYPOINT ["/usr/bin/olmgraph"]
