package io.despina;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.tngtech.archunit.ArchConfiguration;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** How long, how wide and how tangled the code may be. */
class TidyTest {
    private static final Path ROOT = Path.of("jvm/src");
    private static final String PACKAGES = "io.despina";
    private static final int LINE = 130;
    private static final int METHOD = 50;
    private static final int FILE = 380;
    /** Of tests and benchmarks: the cases of one subject stay together. */
    private static final int FILE_OF_TESTS = 600;
    private static final int PARAMETERS = 4;
    private static final int COMPONENTS = 8;
    private static final int CYCLE = 2;
    private static final Pattern WORD = Pattern.compile("[^\\w$]+");
    /** The whole name, and the last word of that. */
    private static final Pattern IMPORT = Pattern.compile("import (?:static )?([\\w.$]+\\.([\\w$]+));");

    /** What still breaks a rule, as "file: rule". It only shrinks: what is mended must be taken out. */
    private static final Set<String> NOT_YET = Set.of(
            "main/control/assembly/JobOptions.java: record",
            "main/control/protocol/Message.java: record",
            "main/plan/PlannedLink.java: record",
            "main/plan/PlannedOperator.java: record");

    private static JavaSources sources;

    /** Broken rule of a file, to the places in it. */
    private final Map<String, Set<String>> found = new TreeMap<>();

    @BeforeAll
    static void read() throws IOException {
        assumeTrue(ModuleLayer.boot().findModule("jdk.compiler").isPresent(), "this Java has no compiler");
        sources = new JavaSources(ROOT);
    }

    @Test
    void theCodeIsTidy() throws IOException {
        for (Path file : sources.files()) {
            List<String> lines = Files.readAllLines(file);
            lengths(file, lines);
            imports(file, lines);
        }
        for (JavaSources.Method method : sources.methods()) {
            check(method.lines() <= METHOD, method.file(), "method", method.name() + ", " + method.lines() + " lines");
            check(method.parameters() <= PARAMETERS, method.file(), "constructor",
                    method.name() + ", " + method.parameters() + " parameters");
        }
        for (JavaSources.Type type : sources.types()) {
            check(type.components() <= COMPONENTS, type.file(), "record",
                    type.name() + ", " + type.components() + " components");
        }
        names();
        cycles();
        Map<String, Set<String>> broken = new TreeMap<>(found);
        broken.keySet().removeAll(NOT_YET);
        assertEquals(Map.of(), broken, "breaks a rule");
        Set<String> mended = new TreeSet<>(NOT_YET);
        mended.removeAll(found.keySet());
        assertEquals(Set.of(), mended, "is mended: take it out of NOT_YET");
    }

    private void check(boolean kept, Path file, String rule, String place) {
        if (!kept) {
            found.computeIfAbsent(ROOT.relativize(file).toString().replace("/java/io/despina", "") + ": " + rule,
                    key -> new TreeSet<>()).add(place);
        }
    }

    private void lengths(Path file, List<String> lines) {
        int most = file.startsWith(ROOT.resolve("main")) ? FILE : FILE_OF_TESTS;
        check(lines.size() <= most, file, "file", lines.size() + " lines");
        for (int k = 0; k < lines.size(); k++) {
            check(lines.get(k).length() <= LINE, file, "line", "line " + (k + 1));
        }
    }

    /** What is imported is used, and stands in order, what is static first. */
    private void imports(Path file, List<String> lines) {
        Set<String> words = lines.stream().filter(line -> !line.startsWith("import ")).flatMap(WORD::splitAsStream)
                .collect(Collectors.toSet());
        String before = "";
        for (String line : lines) {
            Matcher imported = IMPORT.matcher(line);
            if (imported.matches()) {
                check(words.contains(imported.group(2)), file, "import", imported.group(1) + " is not used");
                String place = (line.startsWith("import static ") ? "static " : "type ") + imported.group(1);
                check(before.compareTo(place) < 0, file, "import", place + " behind " + before);
                before = place;
            }
        }
    }

    /** A name means one thing. Records, and what is private, are read with the type that they are nested in. */
    private void names() {
        Map<String, List<JavaSources.Type>> byName = sources.types().stream()
                .filter(type -> type.owner() == null || !type.record() && !type.hidden())
                .collect(Collectors.groupingBy(JavaSources.Type::name));
        byName.forEach((name, types) -> {
            Set<String> packages = types.stream().map(JavaSources.Type::packageName)
                    .collect(Collectors.toCollection(TreeSet::new));
            types.forEach(type -> check(packages.size() == 1, type.file(), "name", name + " in " + packages));
        });
    }

    /** Classes of a package that all depend on each other; a nested class counts as the one that it is in. */
    private void cycles() {
        // of other packages no more than the names are needed, and reading what they name takes most of the time
        JavaClasses classes = ArchConfiguration.withThreadLocalScope(configuration -> {
            configuration.setResolveMissingDependenciesFromClassPath(false);
            return new ClassFileImporter()
                    .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS).importPackages(PACKAGES);
        });
        Map<String, Set<String>> uses = new TreeMap<>();
        for (JavaClass each : classes) {
            Set<String> used = uses.computeIfAbsent(top(each), key -> new TreeSet<>());
            for (Dependency dependency : each.getDirectDependenciesFromSelf()) {
                if (dependency.getTargetClass().getPackageName().equals(each.getPackageName())) {
                    used.add(top(dependency.getTargetClass()));
                }
            }
        }
        Map<String, Set<String>> reached = new TreeMap<>();
        uses.keySet().forEach(from -> reached.put(from, reach(from, uses)));
        reached.forEach((from, to) -> {
            Set<String> cycle = to.stream().filter(each -> reached.get(each).contains(from))
                    .collect(Collectors.toCollection(TreeSet::new));
            Path file = ROOT.resolve("main/java").resolve(from.replace('.', '/') + ".java");
            check(cycle.size() <= CYCLE, file, "cycle", cycle.stream().map(each -> each.substring(each.lastIndexOf('.') + 1))
                    .collect(Collectors.joining(" ")));
        });
    }

    private static String top(JavaClass each) {
        String name = each.getBaseComponentType().getName();
        return name.contains("$") ? name.substring(0, name.indexOf('$')) : name;
    }

    private static Set<String> reach(String from, Map<String, Set<String>> uses) {
        Set<String> seen = new HashSet<>();
        List<String> next = List.copyOf(uses.get(from));
        while (!next.isEmpty()) {
            next = next.stream().filter(seen::add).flatMap(each -> uses.getOrDefault(each, Set.of()).stream()).toList();
        }
        return seen;
    }
}
