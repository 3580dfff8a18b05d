package io.despina.descriptor;

import io.despina.descriptor.FieldKind.Section;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Makes the pages of the reference (Markdown) from the declarations: one for the graph file, one for each family of operators,
 * one for the deployment file, one for the codes of errors, and their index. Pages of prose beside them are written by hand.
 */
final class Reference {
    /** The columns of the input streams of the operators' examples. */
    static final String COLUMNS = "ts TIMESTAMP, id BIGINT, device STRING, celsius DOUBLE, tags ARRAY<STRING>";

    private static final String INDEX = """
            # Reference

            Every field of the graph file and of the deployment file. `make generate` makes these pages from the declarations in
            `io.despina.descriptor` and `io.despina.catalogue`; do not edit them. Only the pages about expressions and time are
            written by hand.

            | page | what it has |
            |---|---|
            | [graph](graph.md) | the file: parameters, settings, links, partitions; the fields of every operator |
            | [expressions](expressions.md) | what Spark SQL may say in a graph |
            | [time](time.md) | event order, watermarks, a clock for each device, late packets, bad records |
            """;
    private static final String CONVENTIONS = """

            ## How to read the tables

            - The end of a name is the unit: `_ms` milliseconds, `_us` microseconds, `_bytes` bytes, `_per_s` per second.
            - Limits are inclusive. A whole number for which no upper limit is named may be as large as 9223372036854775807, a
              time in milliseconds as 9223372036854 (292 years). A number may be as large as a DOUBLE.
            - A field that is not required may be left out; `null` stands nowhere.
            - `${name}` in a string stands for the value of a [parameter](graph.md#parameter); not in `doc`. `"${n}"` may
              stand where a number, true, false or a word is wanted. `$${` is a plain `${`.
            - Ids of operators are lower-case letters, digits and `_`, and begin with a letter.
            - Each example is an entry of `operators`. The streams that it reads have the columns
              `%s`,
              and `ts` is their event time.
            """.formatted(COLUMNS);
    private static final String CODES = """
            # Codes of errors and warnings

            %s
            The code in `error[…]` and `warning[…]`.

            | code | |
            |---|---|
            """.formatted(ReferencePage.MADE);
    private static final String OTHER_CODES = """

            A job that fails says so with codes of its own. The most frequent are `operator` (one failed, as its message says),
            `deploy` (a resource cannot run its part), `memory` (what a job needs does not fit), `resource_lost` and `internal`
            (a fault of Despina).
            """;

    private final GraphFormat format;
    private final Map<FieldKind, ReferencePage.Place> parts = new HashMap<>();
    private final Map<String, String> pages = new LinkedHashMap<>();

    private Reference(GraphFormat format) {
        this.format = format;
    }

    /** Their text by the names of their files. */
    static Map<String, String> write(GraphFormat format) {
        Reference reference = new Reference(format);
        reference.graph();
        for (Family family : Family.values()) {
            reference.family(family);
        }
        reference.deployment();
        reference.codes();
        reference.index();
        return reference.pages;
    }

    private void graph() {
        ReferencePage page = new ReferencePage("graph", "The graph", parts);
        page.section(format.graph(), null);
        page.parts("##");
        page.heading("##", "Fields of every operator");
        page.table(OperatorType.SHARED);
        page.parts("###");
        page.heading("##", "The use of a part");
        page.paragraph(PartFields.USE.doc());
        page.code(PartFields.EXAMPLE);
        page.table(PartFields.USE.fields());
        page.heading("##", "A part in a file");
        page.section(format.part(), null);
        pages.put("graph.md", page.text());
    }

    private void family(Family family) {
        ReferencePage page = new ReferencePage(family.page(), family.title(), parts);
        page.paragraph(family.doc() + " [Every operator](graph.md#fields-of-every-operator) has a few fields more.");
        for (Section section : sections(family)) {
            operator(page, section);
            page.parts("###");
        }
        pages.put(family.page() + ".md", page.text());
    }

    private List<Section> sections(Family family) {
        return format.operator().sections().stream().filter(s -> format.type(s.name()) != null
                && format.type(s.name()).family() == family).toList();
    }

    private void operator(ReferencePage page, Section section) {
        OperatorType type = format.type(section.name());
        page.heading("##", section.name());
        page.paragraph(section.doc());
        page.code(type.example());
        page.paragraph("Ports: " + (type.inputs().isEmpty() ? "no input" : "in " + ReferencePage.ticked(type.inputs()))
                + (type.further() == null ? ""
                : ", and with `" + type.further().with() + "` also `" + type.further().port() + "`")
                + (type.inputsOf() == null ? "" : ", and each key of `" + type.inputsOf() + "`") + "; out "
                + (type.portsOf() == null ? "" : "each key of `" + type.portsOf() + "`, ")
                + ReferencePage.ticked(type.outputs()) + ".");
        page.table(section.fields().stream().filter(f -> !OperatorType.SHARED.contains(f)).toList());
    }

    private void deployment() {
        ReferencePage page = new ReferencePage("deployment", "The deployment", parts);
        page.section(Format.DEPLOYMENT, null);
        page.parts("##");
        pages.put("deployment.md", page.text());
    }

    private void codes() {
        StringBuilder text = new StringBuilder(CODES);
        for (Rule rule : Rule.values()) {
            text.append("| `").append(rule.code()).append("` | ").append(rule.doc()).append(" |\n");
        }
        pages.put("codes.md", text.append(OTHER_CODES).toString());
    }

    private void index() {
        StringBuilder text = new StringBuilder(INDEX);
        List<String> operators = new ArrayList<>();
        for (Family family : Family.values()) {
            String page = family.page() + ".md";
            text.append("| [").append(family.page()).append("](").append(page).append(") | ")
                    .append(String.join(", ", sections(family).stream().map(s -> "`" + s.name() + "`").toList())).append(" |\n");
            for (Section section : sections(family)) {
                operators.add("| [" + section.name() + "](" + page + "#" + section.name() + ") | "
                        + ReferencePage.linked(FieldSpec.firstSentence(section.doc())).replace("|", "\\|") + " |\n");
            }
        }
        text.append("| [deployment](deployment.md) | the file that says which operator runs where |\n"
                + "| [codes](codes.md) | the codes of errors and warnings |\n\n## Operators\n\n| operator | |\n|---|---|\n");
        operators.forEach(text::append);
        pages.put("README.md", text.append(CONVENTIONS).toString());
    }
}
