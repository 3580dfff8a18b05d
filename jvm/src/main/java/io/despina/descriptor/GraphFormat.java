package io.despina.descriptor;

import static io.despina.descriptor.CommonFields.DOC;
import static io.despina.descriptor.CommonFields.DOC_FIELD;
import static io.despina.descriptor.CommonFields.LINK;
import static io.despina.descriptor.CommonFields.SETTINGS;
import static io.despina.descriptor.FieldSpec.optional;
import static io.despina.descriptor.FieldSpec.or;
import static io.despina.descriptor.FieldSpec.required;

import io.despina.descriptor.FieldKind.Section;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The declaration of the graph file, for given operator types. */
final class GraphFormat {
    /** The most bytes of a graph's name. With the job's number appended it must fit into a channel's hello, which holds 255. */
    private static final int MOST_NAME = 200;

    private final Map<String, OperatorType> types = new LinkedHashMap<>();
    private final FieldKind.Variant operator;
    private final Section graph;

    GraphFormat(List<OperatorType> all) {
        List<Section> sections = new ArrayList<>();
        for (OperatorType type : all) {
            types.put(type.word(), type);
            sections.add(type.section());
        }
        operator = new FieldKind.Variant(UnknownOperator.KIND, sections);
        graph = Section.of("graph", "A graph of operators and the links between them.",
                optional("$schema", DOC, "none", "Where editors find the schema of this file. The engine does not read "
                        + "it."),
                required("format", new FieldKind.Whole(Format.VERSION, Format.VERSION), "The version of the format."),
                required("name", new FieldKind.Text(MOST_NAME), "Jobs are named by it."),
                DOC_FIELD,
                optional("parameters", new FieldKind.MapOf(CommonFields.NAME, "parameter",
                        new FieldKind.Fields(Section.of("parameter",
                        "A value that is given when the graph is run; `${name}` in a string stands for it.",
                        DOC_FIELD, optional("default", DOC, "none: it must be given", "Its value if none is given.")))),
                        "none", "What may differ from run to run: `--set name=value`."),
                or("settings", SETTINGS, "{}", "What holds for the whole graph."),
                required("operators", new FieldKind.MapOf(Format.ID, "operator id", operator), "The operators by id."),
                required("links", new FieldKind.ListOf(LINK, 0), "The links."));
    }

    List<OperatorType> types() {
        return List.copyOf(types.values());
    }

    /** The whole file. */
    Section graph() {
        return graph;
    }

    /** An operator, with a section for each type. */
    FieldKind.Variant operator() {
        return operator;
    }

    /** The type of that word, or null. */
    OperatorType type(String word) {
        return types.get(word);
    }
}
