package io.despina.descriptor;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** Collects the errors and warnings of one file, and of the files that its parts are in. */
public final class Diagnostics {
    private final String file;
    private final Set<Diagnostic> found = new LinkedHashSet<>();
    /** By operator: rules that give no warning. */
    private final Map<String, Set<String>> accepted = new HashMap<>();

    public Diagnostics(String file) {
        this.file = file;
    }

    /** Ignores warnings of these rules about that operator from now on. */
    public void accept(String operatorId, Set<String> rules) {
        accepted.put(operatorId, rules);
    }

    public boolean accepts(String operatorId, Rule rule) {
        return accepted.getOrDefault(operatorId, Set.of()).contains(rule.code());
    }

    public void error(Place place, Rule rule, String message, String hint) {
        add(place, Severity.ERROR, rule, message, hint);
    }

    public void warning(Place place, Rule rule, String message, String hint) {
        add(place, Severity.WARNING, rule, message, hint);
    }

    public void add(Place place, Severity severity, Rule rule, String message, String hint) {
        if (severity == Severity.WARNING && accepts(place.operatorId(), rule)) {
            return;
        }
        found.add(new Diagnostic(place.file(file), place, severity, rule.code(), message, hint, file, 0));
    }

    public void addAll(List<Diagnostic> others) {
        found.addAll(others);
    }

    public boolean hasErrors() {
        return found.stream().anyMatch(d -> d.severity() == Severity.ERROR);
    }

    /** Whether there is an error at that place, or inside the value there. */
    public boolean hasErrors(Place place) {
        String pointer = place.pointer();
        return found.stream().anyMatch(d -> d.severity() == Severity.ERROR && Objects.equals(d.place().use(), place.use())
                && (d.place().pointer().equals(pointer) || d.place().pointer().startsWith(pointer + "/")));
    }

    /** All, by place, the graph's own file first; what several uses of a part have alike, once. */
    public List<Diagnostic> sorted() {
        Map<List<Object>, Diagnostic> once = new LinkedHashMap<>();
        for (Diagnostic d : found) {
            List<Object> alike = d.place().use() == null ? List.of(d) : Arrays.asList(d.file(), d.place().with(null),
                    d.severity(), d.rule(), d.message(), d.hint());
            once.merge(alike, d, (first, other) -> first.withMore(first.more() + 1));
        }
        List<Diagnostic> all = new ArrayList<>(once.values());
        all.sort(Comparator.comparing((Diagnostic d) -> !d.file().equals(file)).thenComparing(Diagnostic::file)
                .thenComparing(Diagnostic::place, Comparator.comparingInt(Place::line).thenComparingInt(Place::column)));
        return all;
    }
}
