# A package.
{ pkgs ? import <nixpkgs> { }, lib, ... }@args:
let
  # Makes one.
  make = name: version: { inherit name; };
# ^^^^ function make
  sum = { a, b }: a + b;
# ^^^ function sum
  inherit (lib) mkIf;
  other = import ./other.nix { inherit pkgs; };
# ^^^^^ constant other
in
rec {
  imports = [ ./hardware.nix ../common.nix ];
# ^^^^^^^ constant imports
  services.nginx.enable = true;
# ^^^^^^^^^^^^^^^^^^^^^ constant services.nginx.enable
  "quoted" = 1;
#  ^^^^^^ constant quoted
  services.web = { hosts."x" = { root = "/"; port = 1; }; };
# ^^^^^^^^^^^^ section services.web
#                  ^^^^^^^^^ section services.web.hosts."x"
  package = pkgs.callPackage ./package.nix { };
# ^^^^^^^ constant package
  options.web = { enable = lib.mkEnableOption "it"; };
# ^^^^^^^^^^^ section options.web
#                 ^^^^^^ field options.web.enable
  nested = { deep = x: x + 1; };
# ^^^^^^ section nested
#            ^^^^ function nested.deep
}
