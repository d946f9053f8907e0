using module ./Shapes.psm1
Import-Module Pester
. ./helpers.ps1

$script:Limit = 10
#^^^^^^^^^^^^ constant script:Limit
$global:Names = @{ a = 1 }
#^^^^^^^^^^^^ constant global:Names
$plain = Get-Item .

function Get-Shape {
    #    ^^^^^^^^^ function Get-Shape
    [CmdletBinding()]
    param(
        [Parameter(Mandatory)] [string] $Path
    )
    process {
        $script:Inside = 1
        Get-ChildItem $Path
    }
}

function Add-Shape($a, [int] $b) { $a + $b }
#        ^^^^^^^^^ function Add-Shape
filter Odd { $_ % 2 }
#      ^^^ function Odd

enum Color { Red; Green = 2 }
#    ^^^^^ enum Color

class Shape {
#     ^^^^^ class Shape
    [string] $Name
    #         ^^^^ field Shape.Name
    hidden [int] $Sides = 3
    #             ^^^^^ field Shape.Sides
    Shape([string] $name) { $this.Name = $name }
    #<- method Shape.Shape
    [string] Say([string] $what) { return $what }
    #        ^^^ method Shape.Say
    static [Shape] Make() { return [Shape]::new("x") }
    #              ^^^^ method Shape.Make
}

class Circle : Shape {
#     ^^^^^^ class Circle
    [void] Draw() { $this.Say("circle") }
    #      ^^^^ method Circle.Draw
}
