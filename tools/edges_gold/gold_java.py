import sys,os,re,json,subprocess,glob,collections
repo,src,classes,out=sys.argv[1:5]
repo=os.path.realpath(repo)
cls=glob.glob(classes+'/**/*.class',recursive=True)
txt=subprocess.run(['javap','-v','-p','-cp',classes]+cls,capture_output=True,text=True).stdout
lines={}
def read(p):
    if p not in lines: lines[p]=open(os.path.join(repo,p),errors='replace').read().split('\n')
    return lines[p]
def source(c):
    o=c.split('$')[0].replace('.','/')
    p=os.path.relpath(os.path.join(src,o+'.java'),repo)
    return p if os.path.exists(os.path.join(repo,p)) else None
meth={};order=[];cur=None;m=None;calls=[]
HEAD=re.compile(r'^(?:public |private |protected |static |final |abstract |strictfp |sealed |non-sealed )*(?:class|interface|enum) ([\w.$]+)')
MET=re.compile(r'^  (?:[\w$]+ )*?(?:<.*> )?(?:[\w.$<>\[\], ?&]+ )?([\w.$<>]+)\((.*)\)(?: throws .*)?;$')
INV=re.compile(r'^\s+\d+: invoke(\w+)\s+#\d+(?:,\s+\d+)?\s+// (?:Interface)?Method (?:([\w/$\[;"]+)\.)?"?([\w$<>]+)"?:(\(.*)$')
supers={}
for l in txt.split('\n'):
    h=HEAD.match(l)
    if h:
        cur=h.group(1);
        s=re.findall(r'(?:extends|implements) ([^{]+)',l); supers[cur]=[re.sub(r'<.*','',x).strip() for y in s for x in re.split(r', (?![^<]*>)|implements|extends',y) if x.strip()]
        continue
    mm=MET.match(l)
    if mm and cur:
        n=mm.group(1); n='<init>' if n==cur else n
        m=(cur,n,mm.group(2)); order.append(m); meth[m]={'lines':[],'calls':[]}; continue
    if m is None: continue
    if 'ACC_BRIDGE' in l or 'ACC_SYNTHETIC' in l:
        if l.strip().startswith('flags') and not m[1].startswith('lambda$'): meth[m]['skip']=True
    x=re.match(r'^\s+line (\d+): \d+',l)
    if x: meth[m]['lines'].append(int(x.group(1))); continue
    iv=INV.match(l)
    if iv: meth[m]['calls'].append((iv.group(1),(iv.group(2) or cur.replace('.','/')).replace('/','.'),iv.group(3),iv.group(4)))
def desc(d):
    a=d[1:d.index(')')];r=[];i=0
    B=dict(B='byte',C='char',D='double',F='float',I='int',J='long',S='short',Z='boolean')
    while i<len(a):
        n=0
        while a[i]=='[': n+=1;i+=1
        if a[i]=='L': j=a.index(';',i);t=a[i+1:j].replace('/','.');i=j+1
        else: t=B[a[i]];i+=1
        r.append(t+'[]'*n)
    return ', '.join(r)
def strip(p):
    p=re.sub(r'<[^<>]*>','',p)
    while '<' in p: p=re.sub(r'<[^<>]*>','',p)
    return p.replace('...','[]')
byc=collections.defaultdict(dict)
for m_ in order: byc[m_[0]].setdefault((m_[1],strip(m_[2])),m_)
# line of the declaration
pos={}
for (c,n,a),d in meth.items():
    p=source(c)
    if not p or d.get('skip'): continue
    name=(c.split('.')[-1].split('$')[-1]) if n=='<init>' else n
    L=read(p)
    arg=a.count(',')+1 if a.strip() else 0
    if d['lines']:
        at=min(d['lines']); best=None
        for k in range(min(at,len(L)),max(0,at-40),-1):
            if re.search(r'(?<![\w.])'+re.escape(name)+r'\s*\(',L[k-1]) and not re.match(r'^\s*(return|\*|//)',L[k-1]) and (k<at or True):
                if re.search(r'(?:[\w>\]]\s+|^\s*)'+re.escape(name)+r'\s*\(',L[k-1]) and not L[k-1].strip().endswith(';'): best=k;break
        if best: pos[(c,n,a)]=(p,name,best,'function')
    else:
        for k,t in enumerate(L,1):
            mt=re.search(r'[\w>\]]\s+'+re.escape(name)+r'\s*\(([^)]*)',t)
            if mt and not re.match(r'^\s*(return|\*|//)',t):
                got=mt.group(1).count(',')+1 if mt.group(1).strip() else 0
                if got==arg: pos[(c,n,a)]=(p,name,k,'signature');break
def find(c,n,dsc,seen=()):
    m_=byc.get(c,{}).get((n,desc(dsc)))
    if m_: return m_
    for s in supers.get(c,[]):
        if s not in seen:
            r=find(s,n,dsc,seen+(c,))
            if r: return r
def outer(m_):
    # lambda$name$0 belongs to name; access$ and synthetic are left out
    c,n,a=m_
    return None if n.startswith(('lambda$','access$','$')) or n=='static' else m_
files=set(p for p in (source(c) for c,_,_ in meth) if p)
with open(out,'w') as o:
    w=lambda x:o.write(json.dumps(x)+'\n')
    for p in sorted(files): w({'kind':'file','path':p})
    for k,(p,n,l,t) in pos.items(): w({'kind':'def','path':p,'name':n,'line':l,'type':'method' if t=='function' else t})
    nc=0
    for m_,d in meth.items():
        a=pos.get(m_)
        lam=re.match(r'lambda\$(\w+)\$\d+',m_[1])
        soft=False
        if lam:
            cand=[x for x in pos if x[0]==m_[0] and x[1]==lam.group(1)]
            if len(cand)!=1: continue
            a=pos[cand[0]];soft=True
        if not a: continue
        for kind,c,n,ds in d['calls']:
            t=find(c,n,ds)
            b=pos.get(t) if t else None
            if not b: continue
            e=lambda z:{'path':z[0],'name':z[1],'line':z[2],'type':'function'}
            is_soft=soft or n=='<init>' or kind=='dynamic'
            w({'kind':'uses' if is_soft else 'calls','caller':e(a),'callee':e(b)}); nc+=not is_soft
print(len(files),'files',len(pos),'methods placed of',len(meth),nc,'calls')
