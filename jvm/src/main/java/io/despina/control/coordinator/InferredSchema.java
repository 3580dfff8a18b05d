package io.despina.control.coordinator;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.control.assembly.JobOptions;
import io.despina.control.protocol.GivenJson;
import io.despina.control.protocol.Refusal;
import io.despina.descriptor.Ddl;
import io.despina.expr.Expressions;
import io.despina.expr.InferredRecords;
import io.despina.json.Json;
import io.despina.operator.record.protobuf.ProtobufException;
import io.despina.operator.record.protobuf.ProtobufOptions;
import io.despina.operator.source.file.FolderColumns;
import io.despina.operator.source.file.InputFiles;
import io.despina.packet.Column;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/** The answer of {@code Gateway.infer}. */
public final class InferredSchema {
    /** Spark's readers need one, but types do not depend on it. */
    private static final String TIME_ZONE = "UTC";

    private InferredSchema() {
    }

    /** See {@code Gateway.find}. */
    public static ObjectNode find(String path) throws Refusal {
        try {
            Path base = InputFiles.base(path);
            Map<String, Set<String>> folders = new LinkedHashMap<>();
            String first = null;
            for (Path file : InputFiles.all(path)) {
                first = first == null && Files.size(file) > 0 ? file.toString() : first;
                FolderColumns.texts(base, file).forEach((name, text) ->
                        folders.computeIfAbsent(name, k -> new LinkedHashSet<>()).add(text));
            }
            ObjectNode columns = Json.object();
            folders.forEach((name, texts) -> columns.put(name, Expressions.folderType(texts, TIME_ZONE)));
            return Json.object().put("file", first).set("folders", columns);
        } catch (IOException e) {
            throw new Refusal("file", e.getMessage(), null);
        }
    }

    /** See {@code Gateway.table}. */
    public static ObjectNode table(String graphText, String fileName, String optionsJson) throws Refusal {
        return GraphCheck.table(graphText, fileName, JobOptions.parse(optionsJson, () -> 0));
    }

    /** See {@code Gateway.infer}. */
    public static ObjectNode of(String text, String format, String optionsJson) throws Refusal {
        Map<String, String> options = new LinkedHashMap<>();
        JsonNode given = GivenJson.parseObject(optionsJson, "options");
        for (Iterator<String> names = given.fieldNames(); names.hasNext();) {
            String name = names.next();
            options.put(name, given.get(name).asText());
        }
        if (format.equals("protobuf")) {
            return ofMessage(options);
        }
        try {
            InferredRecords inferred = Expressions.infer(format, text.lines().toList(), options, TIME_ZONE);
            Ddl.parse(inferred.schema());
            return Json.object().put("schema", inferred.schema()).put("by_place", inferred.byPlace())
                    .put("extra_columns", inferred.extraColumns());
        } catch (IllegalArgumentException e) {
            throw new Refusal("schema", e.getMessage(), null);
        } catch (Ddl.DdlException e) {
            throw new Refusal("schema", e.getMessage(), e.hint());
        }
    }

    private static ObjectNode ofMessage(Map<String, String> options) throws Refusal {
        try {
            ProtobufOptions.Described found = new ProtobufOptions(options).described();
            ObjectNode answer = Json.object().put("schema", String.join(",", found.columns().columns().stream().map(Column::sql)
                    .toList())).put("by_place", false).put("extra_columns", false).put("message", found.message());
            found.leftOut().forEach(answer.putArray("left_out")::add);
            return answer;
        } catch (ProtobufException e) {
            throw new Refusal("schema", e.getMessage(), null);
        }
    }
}
