# Where it runs.
variable "region" {
#         ^^^^^^ constant region
  type = string
}
terraform {
# <- section terraform
  required_providers { aws = { source = "hashicorp/aws" } }
  backend "s3" {}
#          ^^ section terraform.s3
}
provider "aws" { region = var.region }
#         ^^^ section aws
locals {
  name = "x-${var.region}"
# ^^^^ constant name
  tags = merge(local.base, { a = 1 })
# ^^^^ constant tags
}
resource "aws_instance" "web" {
#                        ^^^ struct aws_instance.web
  ami = data.aws_ami.ubuntu.id
  dynamic "ebs" { for_each = var.disks }
#          ^^^ section aws_instance.web.ebs
  lifecycle { ignore_changes = [ami] }
}
data "aws_ami" "ubuntu" { most_recent = true }
#               ^^^^^^ struct aws_ami.ubuntu
module "network" { source = "./modules/network" }
#       ^^^^^^^ module network
output "address" { value = aws_instance.web.public_ip }
#       ^^^^^^^ constant address
job "api" { group "web" { task "serve" { driver = "docker" } } }
#    ^^^ section api
#                  ^^^ section api.web
#                               ^^^^^ section api.web.serve
region = "eu"
# <- constant region~a77b
