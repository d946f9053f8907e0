# The station as a package and as a service.
{
  description = "Watches the tide, the gate and the lamp";

  inputs = {
    nixpkgs.url = "github:NixOS/nixpkgs/nixos-24.11";
    utils.url = "github:numtide/flake-utils";
    tides = {
      url = "path:./tides";
      inputs.nixpkgs.follows = "nixpkgs";
    };
  };

  outputs = { self, nixpkgs, utils, ... }@inputs:
    let
      lib = nixpkgs.lib;

      # Every system we have a machine for.
      systems = [ "x86_64-linux" "aarch64-linux" ];

      inherit (lib) genAttrs mkOption types;

      /* Makes one value for each system. */
      forAll = make: genAttrs systems (system: make (pkgsFor system));

      pkgsFor = system: import nixpkgs {
        inherit system;
        overlays = [ self.overlays.default ];
      };

      version = builtins.readFile ./VERSION;

      station = { rustPlatform, pkg-config, openssl }:
        rustPlatform.buildRustPackage {
          pname = "station";
          inherit version;
          src = lib.cleanSource ./.;
          cargoLock.lockFile = ./Cargo.lock;
          nativeBuildInputs = [ pkg-config ];
          buildInputs = [ openssl ];

          postInstall = ''
            install -D units/station.service $out/lib/systemd/system/station.service
          '';
        };
    in
    {
      overlays.default = final: prev: {
        station = final.callPackage station { };
        tides = final.callPackage ./nix/tides.nix { };
      };

      packages = forAll (pkgs: {
        default = pkgs.station;
        inherit (pkgs) station tides;
      });

      devShells = forAll (pkgs: {
        default = pkgs.mkShell {
          packages = with pkgs; [ cargo clippy rust-analyzer ];
        };
      });

      nixosModules.station = { config, pkgs, ... }:
        let
          cfg = config.services.station;
        in
        {
          imports = [ ./nix/radio.nix ];

          options.services.station = {
            enable = lib.mkEnableOption "the station";
            port = mkOption {
              type = types.port;
              default = 1200;
            };
          };

          config = lib.mkIf cfg.enable {
            systemd.services.station = {
              wantedBy = [ "multi-user.target" ];
              serviceConfig.ExecStart = "${pkgs.station}/bin/station --port ${toString cfg.port}";
            };
            networking.firewall.allowedUDPPorts = [ cfg.port ];
          };
        };

      checks = forAll (pkgs: import ./nix/checks.nix { inherit pkgs self; });
    };
}
