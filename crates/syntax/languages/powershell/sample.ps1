<#
.SYNOPSIS
Deploys packages to hosts, and keeps a record of it.
#>
#requires -Version 7

using module ./Record.psm1
using namespace System.Collections.Generic

Import-Module -Name Logging
. "$PSScriptRoot/common.ps1"

$script:Retries = 3
$script:Hosts = [List[string]]::new()

enum DeployState {
    Waiting
    Running
    Failed
}

# One host, and what runs on it.
class DeployTarget {
    [string] $Name
    [DeployState] $State = [DeployState]::Waiting
    hidden [Connection] $Connection

    DeployTarget([string] $name) {
        $this.Name = $name
        $this.Connection = [Connection]::new($name)
    }

    # Whether it answers.
    [bool] Answers() {
        $reply = $this.Connection.Ping()
        return $reply.Ok
    }

    static [DeployTarget] FromText([string] $text) {
        $parts = $text.Split(':')
        return [DeployTarget]::new($parts[0])
    }
}

class WindowsTarget : DeployTarget {
    [int] $Port

    [void] Open() {
        $this.Port = 5985
        ([DeployTarget]$this).Answers()
    }
}

<#
.SYNOPSIS
Finds the hosts to deploy to.
#>
function Get-DeployTarget {
    [CmdletBinding()]
    [OutputType([DeployTarget])]
    param(
        [Parameter(Mandatory, ValueFromPipeline)]
        [string[]] $Name,

        [switch] $OnlyReachable
    )

    begin {
        $found = [List[DeployTarget]]::new()
    }

    process {
        foreach ($item in $Name) {
            $target = [DeployTarget]::FromText($item)
            if (-not $OnlyReachable -or $target.Answers()) {
                $found.Add($target)
            }
        }
    }

    end {
        Write-Output $found
    }
}

function Invoke-Deploy {
    <#
    .DESCRIPTION
    Runs one deployment.
    #>
    param(
        [DeployTarget] $Target,
        [Package] $Package,
        [int] $Tries = $script:Retries
    )

    $record = [Record]::new($Target.Name)
    for ($try = 1; $try -le $Tries; $try++) {
        try {
            Copy-Package -Package $Package -To $Target.Name
            $Target.Connection.Run($Package.Command)
            $record.Add('done')
            return $record
        }
        catch [System.IO.IOException] {
            Write-Log -Level Warning "try $try failed: $_"
        }
    }
    $Target.State = [DeployState]::Failed
    Send-Alert $Target
}

function script:Copy-Package([Package] $Package, [string] $To) {
    $session = New-PSSession -ComputerName $To
    Get-ChildItem $Package.Path | Where-Object { $_.Length -gt 0 } | ForEach-Object {
        Copy-Item $_ -ToSession $session
    }
}

Get-Content ./hosts.txt | Get-DeployTarget -OnlyReachable | ForEach-Object {
    Invoke-Deploy -Target $_ -Package (Get-Package app)
}
