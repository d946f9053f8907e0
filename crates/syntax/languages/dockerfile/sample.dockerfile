# syntax=docker/dockerfile:1.7
# The station in a box.
ARG RUST_VERSION=1.90
ARG DEBIAN=bookworm

# Everything that is slow and seldom changes.
FROM rust:${RUST_VERSION}-${DEBIAN} AS chef
WORKDIR /station
RUN cargo install --locked cargo-chef

FROM chef AS plan
COPY . .
RUN cargo chef prepare --recipe-path recipe.json

# Builds the station.
#
# The plan comes first, so that a changed source does not build its dependencies again.
FROM chef AS build
ARG PROFILE=release
ENV CARGO_TERM_COLOR=always \
    CARGO_INCREMENTAL=0
COPY --from=plan /station/recipe.json recipe.json
RUN --mount=type=cache,target=/usr/local/cargo/registry \
    cargo chef cook --profile "$PROFILE" --recipe-path recipe.json
COPY . .
RUN cargo build --profile "$PROFILE" --bin station && \
    cp target/${PROFILE}/station /usr/local/bin/station

FROM build AS test
RUN <<END
set -e
cargo test --workspace
# FROM here nothing is copied
END

FROM node:22-slim AS pages
WORKDIR /pages
COPY pages/package.json pages/package-lock.json ./
RUN ["npm", "ci"]
COPY pages .
RUN npm run build

FROM debian:${DEBIAN}-slim
LABEL org.opencontainers.image.title="station" \
      org.opencontainers.image.licenses="MIT"
ENV LEVEL info
ARG UID=1000
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --uid "$UID" station
COPY --from=build --chown=station /usr/local/bin/station /usr/local/bin/station
COPY --from=pages /pages/dist /srv/pages
USER station
EXPOSE 1200/udp 8080
VOLUME ["/var/lib/station"]
HEALTHCHECK --interval=30s CMD ["station", "look"]
ENTRYPOINT ["station"]
CMD ["--config", "/etc/station.toml"]
