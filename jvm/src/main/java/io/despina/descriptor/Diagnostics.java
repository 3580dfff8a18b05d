package io.despina.descriptor;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Collects what is wrong in one file; nothing stops at the first. */
public final class Diagnostics {
    private final String file;
    private final Set<Diagnostic> found = new LinkedHashSet<>();

    public Diagnostics(String file) {
        this.file = file;
    }

    public void error(Place place, Rule rule, String message, String hint) {
        add(place, Severity.ERROR, rule.code(), message, hint);
    }

    public void warning(Place place, Rule rule, String message, String hint) {
        add(place, Severity.WARNING, rule.code(), message, hint);
    }

    /** @param rule a code: a {@link Rule}'s or Spark's */
    public void add(Place place, Severity severity, String rule, String message, String hint) {
        found.add(new Diagnostic(file, place.line(), place.column(), severity, rule, message, place.pointer(),
                place.operatorId(), hint));
    }

    public void addAll(List<Diagnostic> others) {
        found.addAll(others);
    }

    public boolean hasErrors() {
        return found.stream().anyMatch(d -> d.severity() == Severity.ERROR);
    }

    /** Whether there is an error at that place, or inside of what stands there. */
    public boolean hasErrors(Place place) {
        String pointer = place.pointer();
        return found.stream().anyMatch(d -> d.severity() == Severity.ERROR
                && (d.pointer().equals(pointer) || d.pointer().startsWith(pointer + "/")));
    }

    /** All, by place. */
    public List<Diagnostic> sorted() {
        List<Diagnostic> all = new ArrayList<>(found);
        all.sort(Comparator.comparingInt(Diagnostic::line).thenComparingInt(Diagnostic::column));
        return all;
    }
}
