package io.despina.descriptor;

import java.util.List;
import java.util.stream.Collectors;

/**
 * The result of a check.
 *
 * @param value       null if there are errors
 * @param diagnostics errors and warnings, by place
 */
public record Checked<T>(T value, List<Diagnostic> diagnostics) {

    public Checked {
        diagnostics = List.copyOf(diagnostics);
    }

    public static <T> Checked<T> of(T value, Diagnostics diagnostics) {
        return new Checked<>(diagnostics.hasErrors() ? null : value, diagnostics.sorted());
    }

    public boolean ok() {
        return value != null;
    }

    /** All diagnostics as text for people. */
    public String render() {
        return diagnostics.stream().map(Diagnostic::render).collect(Collectors.joining("\n"));
    }
}
