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
    static final FieldSpec SCHEMA = optional("$schema", DOC, "none", "Where editors find the schema of this file. The engine "
            + "does not read it.");
    static final FieldSpec VERSION = required("format", new FieldKind.Whole(Format.VERSION, Format.VERSION),
            "The version of the format.");
    /** The most bytes of a graph's name. With the job's number appended it must fit into a channel's hello, which holds 255. */
    private static final int MOST_NAME = 200;

    private final Map<String, OperatorType> types = new LinkedHashMap<>();
    private final FieldKind.Variant operator;
    private final PartFields part;
    private final Section graph;

    GraphFormat(List<OperatorType> all) {
        List<Section> sections = new ArrayList<>();
        for (OperatorType type : all) {
            types.put(type.word(), type);
            sections.add(type.section());
        }
        sections.add(PartFields.USE);
        operator = new FieldKind.Variant(UnknownOperator.KIND, sections);
        part = new PartFields(operator);
        graph = Section.of("graph", "A graph of operators and the links between them.",
                SCHEMA,
                VERSION,
                required("name", new FieldKind.Text(MOST_NAME), "Jobs are named by it."),
                DOC_FIELD,
                PartFields.PARAMETERS,
                or("settings", SETTINGS, "{}", "What holds for the whole graph."),
                part.parts,
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

    /** A part in a file of its own. */
    Section part() {
        return part.whole;
    }

    /** An operator, with a section for each type, and one for the use of a part. */
    FieldKind.Variant operator() {
        return operator;
    }

    /** The type of that word, or null, as of what uses a part. */
    OperatorType type(String word) {
        return types.get(word);
    }
}
