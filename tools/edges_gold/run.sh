#!/bin/bash
# run.sh BINARY TAG repos...
B=$1; T=$2; shift 2
for r in "$@"; do
 (cd DIR$r && EPITOME_HOME=DIR$T nice $B relations --export --json > DIR$r.$T.jsonl 2>/dev/null)
 python3 - DIR$r.$T.jsonl <<'P'
import json,sys
p=sys.argv[1];rows=[json.loads(l) for l in open(p)]
mac={(r['path'],r['name'],r['line']) for r in rows if r['kind']=='def' and r['type'] in('macro','constant')}
import re
J=p.split('/')[-1].startswith('gson')
rows=[r for r in rows if not(J and r['kind']=='calls' and re.match('[A-Z]',r['callee']['name']))]
rows=[r for r in rows if not(r['kind']=='calls' and ((r['callee']['path'],r['callee']['name'],r['callee']['line']) in mac or (r['caller']['path'],r['caller']['name'],r['caller']['line']) in mac))]
open(p,'w').write(''.join(json.dumps(r)+'\n' for r in rows))
P
 echo "$r $T"; python3 DIR --gold DIR$r.jsonl --edges DIR$r.$T.jsonl --slice src --json | python3 -c "import json,sys; d=json.load(sys.stdin); print({k:(round(v,3) if isinstance(v,float) else v) for k,v in d.items()})"
done
