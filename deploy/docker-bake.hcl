# Images for amd64 and arm64 with an SBOM and provenance: docker buildx bake -f deploy/docker-bake.hcl --push
# Name and version: TOLLGATE_IMAGE=registry.example/tollgate TOLLGATE_VERSION=1.2.3 docker buildx bake …

variable "TOLLGATE_IMAGE" {
  default = "tollgate"
}

variable "TOLLGATE_VERSION" {
  default = "dev"
}

group "default" {
  targets = ["tollgate"]
}

target "tollgate" {
  context    = "."
  dockerfile = "Dockerfile"
  platforms  = ["linux/amd64", "linux/arm64"]
  tags       = ["${TOLLGATE_IMAGE}:${TOLLGATE_VERSION}", "${TOLLGATE_IMAGE}:latest"]
  attest = [
    "type=sbom",
    "type=provenance,mode=max",
  ]
  labels = {
    "org.opencontainers.image.title"    = "Tollgate"
    "org.opencontainers.image.version"  = "${TOLLGATE_VERSION}"
    "org.opencontainers.image.licenses" = "Apache-2.0"
  }
}
