# precision by confidence over edges whose both ends the gold knows
import sys,json,collections
sys.path.insert(0,'DIR')
import importlib.util
sys.argv=[sys.argv[0]]+sys.argv[1:]
spec=importlib.util.spec_from_file_location('score','DIR')
src=open('DIR').read().rsplit('\nmain()',1)[0]
ns={};exec(compile(src,'score','exec'),ns)
gold,tool=sys.argv[1:3]
import tempfile
rows=[json.loads(l) for l in open(tool)]
def sc(rs):
    f=tempfile.NamedTemporaryFile('w',suffix='.jsonl',delete=False);f.write(''.join(json.dumps(r)+'\n' for r in rs));f.close()
    s=ns['score'](gold,f.name,slice_='src')
    w=[e for e in s['_wrong'] if '?' not in e[0] and '?' not in e[1]]
    return s['tp'],len(w),s['recall'],s['gold']
allr=sc(rows)
print('all: right %d wrong %d precision %.3f recall %.3f gold %d'%(allr[0],allr[1],allr[0]/(allr[0]+allr[1]),allr[2],allr[3]))
for lo,hi in ((1,1),(.85,.99),(.7,.84),(0,.69)):
    t=sc([r for r in rows if r['kind']!='calls' or lo<=r['confidence']<=hi])
    print(lo,hi,'right %d wrong %d precision %.3f'%(t[0],t[1],t[0]/max(1,t[0]+t[1])))
