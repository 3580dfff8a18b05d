package io.despina.control.coordinator;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.despina.control.protocol.Json;
import io.despina.control.protocol.Refusal;
import io.despina.descriptor.Ddl;
import io.despina.expr.Expressions;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/** The answer of {@code Gateway.infer}. */
public final class InferredSchema {
    /** Spark's readers need one, but types do not depend on it. */
    private static final String TIME_ZONE = "UTC";

    private InferredSchema() {
    }

    /** See {@code Gateway.infer}. */
    public static ObjectNode of(String text, String format, String optionsJson) throws Refusal {
        Map<String, String> options = new LinkedHashMap<>();
        JsonNode given = Json.parseObject(optionsJson, "options");
        for (Iterator<String> names = given.fieldNames(); names.hasNext();) {
            String name = names.next();
            options.put(name, given.get(name).asText());
        }
        try {
            String ddl = Expressions.inferSchema(format, text.lines().toList(), options, TIME_ZONE);
            Ddl.parse(ddl);
            return Json.object().put("schema", ddl);
        } catch (IllegalArgumentException e) {
            throw new Refusal("schema", e.getMessage(), null);
        } catch (Ddl.DdlException e) {
            throw new Refusal("schema", e.getMessage(), e.hint());
        }
    }
}
