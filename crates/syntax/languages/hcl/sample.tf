# Machines of the station.
terraform {
  required_version = ">= 1.6"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = "~> 5.0"
    }
  }

  backend "s3" {
    bucket = "harbour-state"
    key    = "station.tfstate"
  }
}

provider "aws" {
  region = var.region
}

provider "aws" {
  alias  = "archive"
  region = "eu-north-1"
}

// Where everything runs.
variable "region" {
  type        = string
  default     = "eu-west-1"
  description = "Where everything runs."

  validation {
    condition     = startswith(var.region, "eu-")
    error_message = "Ships are only tracked in Europe."
  }
}

variable "channels" {
  type = list(object({
    number = number
    users  = list(string)
  }))
}

locals {
  # Every name starts with this.
  prefix = "station-${var.region}"
  tags   = merge(local.common, { channels = length(var.channels) })
  common = {
    owner = "night shift"
  }
  hosts = [for host in data.aws_instances.radio.ids : upper(host)]
}

data "aws_ami" "debian" {
  most_recent = true
  owners      = ["136693071363"]

  filter {
    name   = "name"
    values = ["debian-12-*"]
  }
}

data "aws_instances" "radio" {
  instance_tags = local.common
}

/* The machine that watches the gate. */
resource "aws_instance" "watch" {
  ami           = data.aws_ami.debian.id
  instance_type = "t3.small"
  subnet_id     = module.network.subnets[0]
  tags          = merge(local.tags, { Name = "${local.prefix}-watch" })

  user_data = <<-EOT
    #!/bin/sh
    exec station --region ${var.region}
  EOT

  dynamic "ebs_block_device" {
    for_each = var.channels
    content {
      device_name = "/dev/sd${ebs_block_device.key}"
    }
  }

  lifecycle {
    ignore_changes = [ami]
  }
}

resource "aws_security_group" "radio" {
  name   = "${local.prefix}-radio"
  vpc_id = module.network.vpc

  ingress {
    from_port = 1200
    to_port   = 1200
    protocol  = "udp"
  }
}

module "network" {
  source = "./modules/network"
  cidr   = cidrsubnet("10.0.0.0/8", 8, 1)
  region = var.region
}

module "dns" {
  source  = "terraform-aws-modules/route53/aws"
  version = "4.0.0"
  records = [aws_instance.watch.private_ip]
}

output "address" {
  description = "Where the watch answers."
  value       = aws_instance.watch.public_ip
}

output "hosts" {
  value     = local.hosts
  sensitive = true
}

moved {
  from = aws_instance.guard
  to   = aws_instance.watch
}
