package io.despina.spark.source;

import io.despina.spark.sink.InputTable;
import java.util.Map;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableProvider;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.sources.DataSourceRegister;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * The format {@code despina}: {@link SourceOptions} has the options for reading, {@link InputTable} those for writing.
 */
public final class GraphSource implements TableProvider, DataSourceRegister {

    @Override
    public String shortName() {
        return "despina";
    }

    @Override
    public StructType inferSchema(CaseInsensitiveStringMap options) {
        return InputTable.isMeant(options) ? InputTable.columns(options) : SourceOptions.of(options).schema();
    }

    @Override
    public Table getTable(StructType schema, Transform[] partitioning, Map<String, String> properties) {
        CaseInsensitiveStringMap options = new CaseInsensitiveStringMap(properties);
        return InputTable.isMeant(options) ? InputTable.of(options) : new GraphTable(SourceOptions.of(options));
    }
}
