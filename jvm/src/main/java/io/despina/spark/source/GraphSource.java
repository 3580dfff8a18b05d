package io.despina.spark.source;

import java.util.Map;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableProvider;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.sources.DataSourceRegister;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/** The format {@code despina}; {@link SourceOptions} has its options. */
public final class GraphSource implements TableProvider, DataSourceRegister {

    @Override
    public String shortName() {
        return "despina";
    }

    @Override
    public StructType inferSchema(CaseInsensitiveStringMap options) {
        return SourceOptions.of(options).schema();
    }

    @Override
    public Table getTable(StructType schema, Transform[] partitioning, Map<String, String> properties) {
        return new GraphTable(SourceOptions.of(new CaseInsensitiveStringMap(properties)));
    }
}
