import sys,os,json,clang.cindex as C
from clang.cindex import CursorKind as K
repo,out=sys.argv[1:3]; args=sys.argv[3].split(); files=sys.argv[4:]
repo=os.path.realpath(repo)
FUN={K.FUNCTION_DECL,K.CXX_METHOD,K.CONSTRUCTOR,K.DESTRUCTOR,K.FUNCTION_TEMPLATE,K.CONVERSION_FUNCTION}
CLS={K.CLASS_DECL,K.STRUCT_DECL,K.CLASS_TEMPLATE,K.UNION_DECL}
idx=C.Index.create()
defs={};decl={};calls=[];covered=set();err=0
def place(c):
    f=c.location.file
    if not f: return None
    p=os.path.realpath(f.name)
    return (os.path.relpath(p,repo),c.location.line) if p.startswith(repo+'/') else None
TXT={}
def seen(k,name):
    # whether the name stands in the text of the call: otherwise a macro made it
    f=k.location.file.name
    if f not in TXT: TXT[f]=open(f,errors='replace').read().split('\n')
    return any(name in l for l in TXT[f][k.extent.start.line-1:k.extent.end.line])
def nm(c): return c.spelling.split('<')[0] if not c.spelling.startswith('operator') else c.spelling
def walk(c,fn):
    for k in c.get_children():
        f=k.location.file
        inside=f and os.path.realpath(f.name).startswith(repo+'/')
        if f and not inside and k.kind!=K.NAMESPACE: continue
        me=fn
        if k.kind in FUN:
            pl=place(k)
            if pl:
                covered.add(pl[0])
                if k.is_definition(): defs[k.get_usr()]=(pl[0],nm(k),pl[1],k.kind); me=k.get_usr()
                else: decl.setdefault(k.get_usr(),(pl[0],nm(k),pl[1],k.kind))
        elif k.kind in CLS and k.is_definition():
            pl=place(k)
            if pl and k.spelling: defs[k.get_usr()]=(pl[0],nm(k),pl[1],k.kind)
        elif k.kind==K.CALL_EXPR and fn:
            r=k.referenced
            if r is not None and r.kind in FUN:
                t=r
                try:
                    sp=C.conf.lib.clang_getSpecializedCursorTemplate(r)
                    if sp is not None and sp.kind in FUN: t=sp
                except Exception: pass
                calls.append((fn,t.get_usr(),k.location.line,t.kind,place(t),nm(t),(t.semantic_parent.get_usr() if t.semantic_parent else ''),seen(k,nm(t))))
        walk(k,me)
for f in files:
    tu=idx.parse(os.path.join(repo,f),args=args)
    errs=[d for d in tu.diagnostics if d.severity>=3]
    if errs: err+=1; print(f,errs[0].spelling[:100],file=sys.stderr)
    covered.add(f); walk(tu.cursor,None)
with open(out,'w') as o:
    w=lambda x:o.write(json.dumps(x)+'\n')
    for p in sorted(covered): w({'kind':'file','path':p})
    ty=lambda k:'class' if k in CLS else 'function'
    for u,(p,n,l,k) in defs.items(): w({'kind':'def','path':p,'name':n,'line':l,'type':ty(k)})
    for u,(p,n,l,k) in decl.items():
        w({'kind':'def','path':p,'name':n,'line':l,'type':'signature'})
    nd=0
    for a,b,l,k,pl,n,par,sn in calls:
        A=defs.get(a); B=defs.get(b)
        if not A: continue
        end=lambda d:{'path':d[0],'name':d[1],'line':d[2],'type':ty(d[3])}
        if k in(K.CONSTRUCTOR,K.DESTRUCTOR,K.CONVERSION_FUNCTION) or n.startswith('operator'):
            for d in (B,defs.get(par),decl.get(b)):
                if d: w({'kind':'uses','caller':end(A),'callee':end(d),'site':l})
        elif B: w({'kind':'calls' if sn else 'uses','caller':end(A),'callee':end(B),'site':l}); nd+=1
        if decl.get(b): w({'kind':'uses' if B else 'calls','caller':end(A),'callee':dict(end(decl[b]),type='function' if not B else 'signature'),'site':l})
print(len(files),'units',err,'with errors',len(defs),'defs',nd,'calls')
