// Call edges of Java sources, by javac: what every call leads to, as JSON lines for score.py.
//
//   java JavaEdges.java REPOSITORY OUTPUT SOURCE_DIRECTORY... [--sourcepath DIRECTORIES]
//
// Sources of dependencies are read from the source path. Where one is missing, javac may take another function of a name
// than it would with it, so the number of errors it tells has to be small.

import com.sun.source.tree.*;
import com.sun.source.util.*;
import java.io.PrintWriter;
import java.nio.file.*;
import java.util.*;
import javax.lang.model.element.*;
import javax.tools.*;

public class JavaEdges {
    record Place(String path, String name, long line, String type) {
        String json() {
            return "{\"path\":\"" + path + "\",\"name\":\"" + name + "\",\"line\":" + line + ",\"type\":\"" + type + "\"}";
        }
    }

    static Path root;
    static Trees trees;
    static PrintWriter out;
    static int calls = 0;
    static int unknown = 0;

    public static void main(String[] arguments) throws Exception {
        root = Path.of(arguments[0]).toRealPath();
        out = new PrintWriter(arguments[1], "UTF-8");
        var sources = new ArrayList<Path>();
        var options = new ArrayList<>(List.of("-proc:none", "-XDshould-stop.ifError=FLOW", "-Xmaxerrs", "100000", "-nowarn"));
        for (int at = 2; at < arguments.length; at++) {
            if (arguments[at].equals("--sourcepath")) {
                options.addAll(List.of("-sourcepath", arguments[++at], "-implicit:none"));
                continue;
            }
            try (var files = Files.walk(root.resolve(arguments[at]))) {
                // A module declaration would ask for modules that are not here.
                files.filter(file -> file.toString().endsWith(".java") && !file.endsWith("module-info.java")).sorted().forEach(sources::add);
            }
        }
        var compiler = ToolProvider.getSystemJavaCompiler();
        var problems = new DiagnosticCollector<JavaFileObject>();
        var files = compiler.getStandardFileManager(problems, null, null);
        var task = (JavacTask) compiler.getTask(null, files, problems, options, null, files.getJavaFileObjectsFromPaths(sources));
        trees = Trees.instance(task);
        var units = new ArrayList<CompilationUnitTree>();
        task.parse().forEach(units::add);
        task.analyze();
        for (var unit : units) {
            out.println("{\"kind\":\"file\",\"path\":\"" + path(unit) + "\"}");
            new Reader(unit).scan(unit, null);
        }
        out.close();
        long errors = problems.getDiagnostics().stream().filter(problem -> problem.getKind() == Diagnostic.Kind.ERROR).count();
        System.err.println(units.size() + " files, " + errors + " errors, " + calls + " calls, " + unknown + " not known");
    }

    static String path(CompilationUnitTree unit) {
        return root.relativize(Path.of(unit.getSourceFile().toUri())).toString().replace('\\', '/');
    }

    /** Where an element is declared in the sources; null where it is from elsewhere or not written. */
    static Place placeOf(Element element) {
        TreePath at = element == null ? null : trees.getPath(element);
        if (at == null) {
            return null;
        }
        var unit = at.getCompilationUnit();
        // A constructor that nobody wrote has the place of its class.
        boolean isClass = at.getLeaf() instanceof ClassTree;
        String name = element.getKind() == ElementKind.CONSTRUCTOR ? element.getEnclosingElement().getSimpleName().toString() : element.getSimpleName().toString();
        if (at.getLeaf() instanceof ClassTree tree && element.getKind() == ElementKind.CONSTRUCTOR) {
            name = tree.getSimpleName().toString();
        }
        long line = lineOfName(unit, at.getLeaf(), name);
        return name.isEmpty() || line < 0 ? null : new Place(path(unit), name, line, isClass ? "class" : "function");
    }

    /** The line of a declaration's name: behind its annotations and modifiers. */
    static long lineOfName(CompilationUnitTree unit, Tree tree, String name) {
        long start = trees.getSourcePositions().getStartPosition(unit, tree);
        ModifiersTree modifiers = tree instanceof MethodTree method ? method.getModifiers() : tree instanceof ClassTree type ? type.getModifiers() : null;
        long behind = modifiers == null ? -1 : trees.getSourcePositions().getEndPosition(unit, modifiers);
        try {
            var text = unit.getSourceFile().getCharContent(true);
            var matcher = java.util.regex.Pattern.compile("\\b" + java.util.regex.Pattern.quote(name) + "\\b" + (tree instanceof MethodTree ? "\\s*[({]" : "")).matcher(text);
            return matcher.find((int) Math.max(start, behind)) ? unit.getLineMap().getLineNumber(matcher.start()) : -1;
        } catch (java.io.IOException problem) {
            throw new java.io.UncheckedIOException(problem);
        }
    }

    static class Reader extends TreePathScanner<Void, Void> {
        final CompilationUnitTree unit;
        final Deque<Place> around = new ArrayDeque<>();

        Reader(CompilationUnitTree unit) {
            this.unit = unit;
        }

        void define(Tree tree, Runnable inside) {
            var place = placeOf(trees.getElement(getCurrentPath()));
            if (place == null || (tree instanceof MethodTree && place.type.equals("class"))) {
                inside.run();
                return;
            }
            String type = tree instanceof ClassTree ? "class" : "method";
            out.println("{\"kind\":\"def\",\"path\":\"" + place.path + "\",\"name\":\"" + place.name + "\",\"line\":" + place.line + ",\"type\":\"" + type + "\"}");
            around.push(place);
            inside.run();
            around.pop();
        }

        @Override public Void visitClass(ClassTree tree, Void nothing) {
            if (tree.getSimpleName().length() == 0) {
                return super.visitClass(tree, nothing);
            }
            define(tree, () -> super.visitClass(tree, nothing));
            return null;
        }

        @Override public Void visitMethod(MethodTree tree, Void nothing) {
            define(tree, () -> super.visitMethod(tree, nothing));
            return null;
        }

        @Override public Void visitMethodInvocation(MethodInvocationTree tree, Void nothing) {
            String written = tree.getMethodSelect().toString();
            boolean isConstructor = written.equals("this") || written.equals("super") || written.endsWith(".super");
            tell(trees.getElement(new TreePath(getCurrentPath(), tree.getMethodSelect())), tree, isConstructor ? "uses" : "calls");
            return super.visitMethodInvocation(tree, nothing);
        }

        @Override public Void visitVariable(VariableTree tree, Void nothing) {
            var variable = trees.getElement(getCurrentPath());
            // A constant of an enumeration is made by javac, not by a call that anybody wrote.
            if (variable != null && variable.getKind() == ElementKind.ENUM_CONSTANT && tree.getInitializer() instanceof NewClassTree made) {
                scan(made.getArguments(), nothing);
                return scan(made.getClassBody(), nothing);
            }
            return super.visitVariable(tree, nothing);
        }

        @Override public Void visitNewClass(NewClassTree tree, Void nothing) {
            var made = trees.getElement(new TreePath(getCurrentPath(), tree.getIdentifier()));
            tell(made, tree, "calls");
            tell(trees.getElement(getCurrentPath()), tree, "uses");
            return super.visitNewClass(tree, nothing);
        }

        @Override public Void visitMemberReference(MemberReferenceTree tree, Void nothing) {
            tell(trees.getElement(getCurrentPath()), tree, "uses");
            return super.visitMemberReference(tree, nothing);
        }

        void tell(Element meant, Tree tree, String kind) {
            if (around.isEmpty()) {
                return;
            }
            if (meant == null || meant.asType().getKind() == javax.lang.model.type.TypeKind.ERROR) {
                unknown++;
                // What javac does not know proves nothing against an edge.
                String name = tree instanceof MethodInvocationTree call ? call.getMethodSelect().toString()
                    : tree instanceof MemberReferenceTree reference ? reference.getName().toString()
                    : ((NewClassTree) tree).getIdentifier().toString().replaceAll("<.*", "");
                name = name.substring(name.lastIndexOf('.') + 1);
                long line = unit.getLineMap().getLineNumber(trees.getSourcePositions().getStartPosition(unit, tree));
                out.println("{\"kind\":\"unknown\",\"caller\":" + around.peek().json() + ",\"name\":\"" + name + "\",\"site\":" + line + "}");
                return;
            }
            var place = placeOf(meant);
            if (place == null) {
                return;
            }
            calls++;
            long line = unit.getLineMap().getLineNumber(trees.getSourcePositions().getStartPosition(unit, tree));
            out.println("{\"kind\":\"" + kind + "\",\"caller\":" + around.peek().json() + ",\"callee\":" + place.json() + ",\"site\":" + line + "}");
        }
    }
}
