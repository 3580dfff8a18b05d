package io.despina.descriptor;

import static io.despina.descriptor.CommonFields.DOC;
import static io.despina.descriptor.CommonFields.DOC_FIELD;
import static io.despina.descriptor.CommonFields.LINK;
import static io.despina.descriptor.CommonFields.TEXT;
import static io.despina.descriptor.FieldSpec.optional;
import static io.despina.descriptor.FieldSpec.required;

import io.despina.descriptor.FieldKind.Section;
import java.util.ArrayList;
import java.util.List;

/** The declaration of parts: where they are written, alone or in a graph, and where they are used. */
final class PartFields {
    /** The word of the operators that use a part. */
    static final String WORD = "part";
    static final String INLINE = "inline";
    static final String FILE = "file";

    static final FieldSpec PARAMETERS = optional("parameters", new FieldKind.MapOf(CommonFields.NAME, "parameter",
            new FieldKind.Fields(Section.of("parameter",
            "A value that is given from outside: of a graph when it is run, of a part where it is used. `${name}` in a string "
            + "stands for it.",
            DOC_FIELD, optional("default", DOC, "none: it must be given", "Its value if none is given.")))),
            "none", "What may differ from run to run: `--set name=value`. Of a part: what may differ from use to use.");

    /** An entry of {@code operators} that stands for the operators of a part. */
    static final Section USE = Section.of(WORD, "The operators and links of a part, in the place of this entry. Links lead to "
            + "and from the part's own ports. In the place of `\"valve\"` there are operators `valve_ID`, one for each of the "
            + "part's; counters, tests, deployments and commands know these.",
            DOC_FIELD,
            required("part", DOC, "Which one: a key of `parts`."),
            optional("parameters", new FieldKind.MapOf(CommonFields.NAME, "parameter", TEXT), "the part's defaults",
                    "Values for the part's parameters."));

    /** An entry of {@code operators}, for the reference. */
    static final String EXAMPLE = """
            "valve": {"type": "part", "part": "changes", "parameters": {"signal": "bm08"}}
            """;

    /** The graph's {@code parts}. */
    final FieldSpec parts;
    /** A part in a file of its own. */
    final Section whole;

    /** @param operator the declaration of an operator */
    PartFields(FieldKind operator) {
        List<FieldSpec> fields = List.of(DOC_FIELD, PARAMETERS,
                optional("inputs", new FieldKind.MapOf(CommonFields.NAME, "port", new FieldKind.ListOf(DOC, 1)), "none",
                        "Its input ports. Each has the `operator` or `operator.port` within that its packets go to; each of "
                        + "several gets every packet. The usual name is `in`."),
                optional("outputs", new FieldKind.MapOf(CommonFields.NAME, "port", DOC), "none",
                        "Its output ports. Each has the `operator` or `operator.port` within whose packets leave by it. The "
                        + "usual name is `out`."));
        List<FieldSpec> inside = List.of(required("operators", new FieldKind.MapOf(Format.ID, "operator id", operator),
                "Its operators. They know the parameters of the part, and none of the graph's."),
                required("links", new FieldKind.ListOf(LINK, 0), "The links between them."));
        FieldKind.Variant kind = new FieldKind.Variant(WORD, List.of(
                new Section(INLINE, "It is written here.", joined(fields, inside)),
                Section.of(FILE, "It is in a file of its own.",
                        required("path", DOC, "The file. A relative path is from the folder of the file that names it."))));
        parts = optional("parts", new FieldKind.MapOf(Format.ID, "part", kind), "none",
                "Fragments that operators of type `part` use, as often as they like; docs/parts.md.");
        whole = new Section("part_file", "A part in a file of its own.", joined(List.of(GraphFormat.SCHEMA, GraphFormat.VERSION),
                fields, List.of(parts), inside));
    }

    @SafeVarargs
    private static List<FieldSpec> joined(List<FieldSpec>... some) {
        List<FieldSpec> all = new ArrayList<>();
        for (List<FieldSpec> each : some) {
            all.addAll(each);
        }
        return all;
    }
}
