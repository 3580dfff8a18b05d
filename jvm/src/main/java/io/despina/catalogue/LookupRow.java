package io.despina.catalogue;

import io.despina.catalogue.field.LookupKeys;
import io.despina.expr.Compiled;
import io.despina.expr.ProjectionPlan;
import io.despina.operator.lookup.Lookup;
import io.despina.operator.order.Keys;
import io.despina.packet.Schema;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a lookup gives, wherever its table is.
 *
 * @param table schema of a row as it is found
 * @param left  whether packets without a row leave
 */
record LookupRow(LookupKeys keys, Schema table, ProjectionPlan select, boolean left) {

    List<Compiled<?>> code() {
        return List.of(keys.packet().compiled(), keys.table().compiled(), select.compiled());
    }

    /** For Spark: the texts of the keys and of the row. */
    Map<String, Object> resolved() {
        Map<String, Object> texts = new LinkedHashMap<>();
        texts.put("packet", keys.texts().left());
        texts.put("table", keys.texts().right());
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("keys", texts);
        fields.put("key_columns", keys.columns());
        return fields;
    }

    Lookup.Options options(InstanceContext making) {
        return new Lookup.Options(making.keys(keys.packet()), table, select.compiled(), left);
    }

    Keys tableKeys(InstanceContext making) {
        return making.keys(keys.table());
    }
}
