# syntax=docker/dockerfile:1
ARG VERSION=1.2
#   ^^^^^^^ constant VERSION

# Builds it.
FROM --platform=linux/amd64 rust:${VERSION} AS build
#                                              ^^^^^ section build
WORKDIR /app
ENV MODE=release LEVEL=2
#   ^^^^ constant build.MODE
#                ^^^^^ constant build.LEVEL
COPY . .
RUN cargo build && \
    echo done
RUN <<END
echo FROM nothing
END

FROM build as test
#             ^^^^ section test
ARG TOKEN
#   ^^^^^ constant test.TOKEN
RUN cargo test

FROM debian:bookworm-slim
#    ^^^^^^^^^^^^^^^^^^^^ section debian:bookworm-slim
COPY --from=build /app/x /x
ENV OLD style
#   ^^^ constant debian:bookworm-slim.OLD
ENTRYPOINT ["/x"]
