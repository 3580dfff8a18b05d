package io.despina.catalogue;

import io.despina.expr.Compiled;
import io.despina.expr.Expressions;
import io.despina.expr.ProjectionPlan;
import io.despina.expr.TextOptions;
import io.despina.operator.Operator;
import io.despina.operator.lookup.AreaTable;
import io.despina.operator.lookup.Lookup;
import io.despina.operator.record.RecordFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * {@code lookup} in areas. Spark runs the engine's own operator, over partitions as they are.
 *
 * @param point      a packet to its latitude and longitude
 * @param properties how the properties of an area become a row
 * @param path       an absolute path or a URI, of a file, a folder or a glob
 * @param left       whether packets that are in no area leave
 */
public record AreaLookupSpec(ProjectionPlan point, RecordFormat.Read properties, String path, ProjectionPlan select, boolean left)
        implements FilesLookup {

    @Override
    public List<Compiled<?>> code() {
        return List.of(point.compiled(), select.compiled());
    }

    @Override
    public Map<String, Object> resolved() {
        Map<String, Object> from = new LinkedHashMap<>();
        from.put("type", "areas");
        from.put("path", path);
        from.put("schema", properties.schema().sql());
        return Map.of("from", from);
    }

    @Override
    public Operator make(InstanceContext making) {
        TextOptions text = new TextOptions(properties.format().word(), properties.schema(), properties.columns(),
                properties.options(), properties.timeZone(), properties.ansi());
        AreaTable.Options table = new AreaTable.Options(path, text, Expressions::parser);
        return new Lookup(new Lookup.Options(making.keys(point), properties.schema(), select.compiled(), left),
                () -> new AreaTable(table));
    }
}
