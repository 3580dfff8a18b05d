package io.despina;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.LineMap;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreeScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.lang.model.element.Modifier;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** The project's Java sources, as the compiler parses them. */
final class JavaSources {

    /** @param owner the type that it is nested in; null at the top of its file */
    record Type(Path file, String packageName, String owner, String name, boolean record, boolean hidden, int components) {
    }

    /** @param parameters of a constructor that is no record's; else 0 */
    record Method(Path file, String name, long lines, int parameters) {
    }

    private final List<Path> files;
    private final List<Type> types = new ArrayList<>();
    private final List<Method> methods = new ArrayList<>();

    JavaSources(Path root) throws IOException {
        try (Stream<Path> all = Files.walk(root)) {
            files = all.filter(file -> file.toString().endsWith(".java")).sorted().toList();
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null)) {
            JavacTask task = (JavacTask) compiler.getTask(null, manager, null, List.of("-proc:none"), null,
                    manager.getJavaFileObjectsFromPaths(files));
            SourcePositions positions = Trees.instance(task).getSourcePositions();
            for (CompilationUnitTree unit : task.parse()) {
                new Reader(unit, positions).scan(unit, null);
            }
        }
    }

    List<Path> files() {
        return files;
    }

    List<Type> types() {
        return types;
    }

    List<Method> methods() {
        return methods;
    }

    /** Goes through one file; what is handed down is the type that a tree is in. */
    private final class Reader extends TreeScanner<Void, ClassTree> {
        private final CompilationUnitTree unit;
        private final SourcePositions positions;
        private final Path file;

        Reader(CompilationUnitTree unit, SourcePositions positions) {
            this.unit = unit;
            this.positions = positions;
            file = Path.of(unit.getSourceFile().getName());
        }

        @Override
        public Void visitClass(ClassTree type, ClassTree owner) {
            if (!type.getSimpleName().isEmpty()) {
                types.add(new Type(file, String.valueOf(unit.getPackageName()),
                        owner == null ? null : owner.getSimpleName().toString(), type.getSimpleName().toString(),
                        type.getKind() == Tree.Kind.RECORD, type.getModifiers().getFlags().contains(Modifier.PRIVATE),
                        components(type)));
            }
            return super.visitClass(type, type);
        }

        private static int components(ClassTree type) {
            return type.getKind() != Tree.Kind.RECORD ? 0 : (int) type.getMembers().stream()
                    .filter(member -> member instanceof VariableTree field
                            && !field.getModifiers().getFlags().contains(Modifier.STATIC)).count();
        }

        @Override
        public Void visitMethod(MethodTree method, ClassTree owner) {
            LineMap lines = unit.getLineMap();
            boolean constructor = method.getReturnType() == null && owner.getKind() != Tree.Kind.RECORD;
            methods.add(new Method(file, owner.getSimpleName() + "." + method.getName(),
                    1 + lines.getLineNumber(positions.getEndPosition(unit, method))
                            - lines.getLineNumber(positions.getStartPosition(unit, method)),
                    constructor ? method.getParameters().size() : 0));
            return super.visitMethod(method, owner);
        }
    }
}
