package io.despina.descriptor;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Makes the reference page (Markdown) of the graph and deployment files from the declarations. */
final class Reference {
    private static final String PREAMBLE = """
            # Reference

            Every field of the graph file and of the deployment file, and the rules they can break. Made from the declarations in
            `io.despina.descriptor` by `make generate`; do not edit.

            An *expression* is Spark SQL text: a string, or an array of lines. Parameters, `${name}`, are filled in inside string
            values (not in `doc`); `$${` is a plain `${`; `"${n}"` may stand for a number, a boolean or a word. Column names compare
            case-insensitively. `_ms` are milliseconds, `_us` microseconds, `_bytes` bytes, `_per_s` per second.

            `now()`, `current_date()`, `CAST('today' AS DATE)` and their like are one moment in a job, in all its operators and
            resources: when the coordinator took it on; on Spark, when the graph was translated. A literal for which Spark's parser
            asks the clock, as `DATE 'today'`, is refused. So are functions whose values depend on Spark's partitions
            (`monotonically_increasing_id`, `rand(7)` and all others of chance that are given a seed), on a catalog or on a user,
            that call Java, open a file or load a class; a type in text (`from_json`) is DDL, not JSON. `rand()`, `uuid()` and others of
            chance without a seed are warned of: each run gives other rows. A hash of a packet's values is chance that is alike
            everywhere: `pmod(xxhash64(id, 7), 1000) / 1000D`.

            Port `errors` of every operator carries the bad records under `on_error` `dead_letter`: `reason STRING, operator STRING,
            record STRING`, where the record is the source's raw text, or the packet as JSON. Port `late` carries late packets as they
            came; that of `join` has the columns of the left side, and a late packet of the right side goes there only if its columns are the same.

            What settles cases that Spark leaves open: streams without event time are folded (`scan`, `emit` `each`) in order of
            arrival; `explode` keeps the packet's columns before the element, as `select *, explode(of) AS as`; an array of lines is
            joined by newlines. A packet whose event time is NULL falls into no tumbling or sliding window, as in Spark's `window()`;
            where event order counts (`scan`, joins, `trailing`, `emit` `each`) it is a bad record for `on_error`. A packet that one
            of its sliding windows cannot take (a sum would overflow) is a bad record too: if the job goes on, it is in none of them.
            So is one with a window that begins or ends beyond the times of a TIMESTAMP, also without `ansi`, where Spark's numbers wrap.
            """;
    private static final String EXPERIMENTS = """

            ## Operators for experiments

            They measure what the engine itself can do. Their packets come from a `generator_source` whose `rows` are of type
            `packets`: each has a sequence number, the time at which it was due, and a payload of which every byte can be checked.
            """;
    private final StringBuilder out = new StringBuilder(PREAMBLE);
    private final List<Kind> waiting = new ArrayList<>();
    private final Set<String> seen = new LinkedHashSet<>();

    private Reference() {
    }

    static String write() {
        Reference page = new Reference();
        page.out.append("\n## The graph\n");
        page.section(Format.GRAPH, null);
        page.out.append("\n## Operators\n");
        page.seen.add("operator");
        page.operators(false);
        page.out.append(EXPERIMENTS);
        page.operators(true);
        page.out.append("\n## Parts\n");
        page.parts();
        page.out.append("\n## The deployment\n");
        page.section(Format.DEPLOYMENT, null);
        page.parts();
        page.rules();
        return page.out.toString();
    }

    private void operators(boolean forExperiments) {
        for (Section type : ((Kind.Variant) Format.OPERATOR).sections()) {
            OperatorType known = OperatorType.of(type.name());
            if (known.isForExperiments() == forExperiments) {
                operator(type, known);
            }
        }
    }

    private void operator(Section type, OperatorType ports) {
        out.append("\n### ").append(type.name()).append("\n\n").append(type.doc()).append("\n\nPorts: ")
                .append(ports.inputs().isEmpty() ? "no input" : "in " + ticked(ports.inputs())).append("; out ")
                .append(ticked(ports.outputs())).append(".\n");
        table(type);
    }

    private void section(Section section, String type) {
        out.append('\n').append(type == null ? "" : "`" + type + "`: ").append(section.doc()).append('\n');
        table(section);
    }

    private void table(Section section) {
        if (section.fields().isEmpty()) {
            return;
        }
        out.append("\n| field | holds | default | |\n|---|---|---|---|\n");
        for (FieldSpec field : section.fields()) {
            String otherwise = field.required() ? "**required**" : field.defaultJson() != null ? "`" + field.defaultJson() + "`"
                    : field.defaultWords();
            out.append("| `").append(field.name()).append("` | ").append(holds(field.kind())).append(" | ").append(otherwise)
                    .append(" | ").append(field.doc().replace("|", "\\|")).append(" |\n");
        }
    }

    private String holds(Kind declared) {
        Kind kind = Kinds.resolve(declared);
        if (kind instanceof Kind.Whole whole) {
            return ("whole number, " + Kinds.limits(whole)).replaceAll(", $", "");
        }
        if (kind instanceof Kind.Real real) {
            return "number, " + Kinds.limits(real);
        }
        if (kind instanceof Kind.Text text && text.mostBytes() < Integer.MAX_VALUE) {
            return "string, at most " + text.mostBytes() + " bytes";
        }
        if (kind instanceof Kind.Words words) {
            return String.join("; ", words.words().stream().map(w -> "`" + w.name() + "` " + w.doc()).toList());
        }
        if (kind instanceof Kind.ListOf list) {
            return "array: " + holds(list.item());
        }
        if (kind instanceof Kind.MapOf map) {
            return "object, " + map.keyDoc() + " → " + holds(map.value());
        }
        if (kind instanceof Kind.Fields || kind instanceof Kind.Variant) {
            String name = kind instanceof Kind.Fields fields ? fields.section().name() : ((Kind.Variant) kind).name();
            if (seen.add(name)) {
                waiting.add(kind);
            }
            return "[" + name + "](#" + (name.equals("operator") ? "operators" : name) + ")";
        }
        return kind instanceof Kind.Flag ? "true or false" : kind instanceof Kind.Expression ? "expression"
                : kind instanceof Kind.Ddl ? "schema, Spark DDL" : "string";
    }

    private void parts() {
        while (!waiting.isEmpty()) {
            Kind kind = waiting.remove(0);
            if (kind instanceof Kind.Fields fields) {
                out.append("\n### ").append(fields.section().name()).append('\n');
                section(fields.section(), null);
            } else if (kind instanceof Kind.Variant variant) {
                out.append("\n### ").append(variant.name()).append("\n\nAn object with `type`:\n");
                variant.sections().forEach(s -> section(s, s.name()));
            }
        }
    }

    private void rules() {
        out.append("\n## Rules\n\nThe code in `error[…]` and `warning[…]`. Codes in capital letters are Spark's error conditions.\n\n"
                + "| rule | |\n|---|---|\n");
        for (Rule rule : Rule.values()) {
            out.append("| `").append(rule.code()).append("` | ").append(rule.doc()).append(" |\n");
        }
    }

    private static String ticked(List<String> names) {
        return String.join(", ", names.stream().map(n -> "`" + n + "`").toList());
    }
}
