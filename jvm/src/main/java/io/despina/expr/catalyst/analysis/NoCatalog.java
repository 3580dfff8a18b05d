package io.despina.expr.catalyst.analysis;

import java.util.Map;
import org.apache.spark.sql.catalyst.analysis.NoSuchFunctionException;
import org.apache.spark.sql.catalyst.analysis.NoSuchTableException;
import org.apache.spark.sql.connector.catalog.FunctionCatalog;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.NamespaceChange;
import org.apache.spark.sql.connector.catalog.SupportsNamespaces;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableCatalog;
import org.apache.spark.sql.connector.catalog.TableChange;
import org.apache.spark.sql.connector.catalog.functions.UnboundFunction;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/** An empty catalog: expressions can only use Spark's built-in functions. */
final class NoCatalog implements TableCatalog, FunctionCatalog, SupportsNamespaces {

    @Override
    public void initialize(String name, CaseInsensitiveStringMap options) {
    }

    @Override
    public String name() {
        return "spark_catalog";
    }

    @Override
    public String[] defaultNamespace() {
        return new String[] {"default"};
    }

    @Override
    public UnboundFunction loadFunction(Identifier name) throws NoSuchFunctionException {
        throw new NoSuchFunctionException(name);
    }

    @Override
    public Identifier[] listFunctions(String[] namespace) {
        return new Identifier[0];
    }

    @Override
    public Identifier[] listTables(String[] namespace) {
        return new Identifier[0];
    }

    @Override
    public Table loadTable(Identifier name) throws NoSuchTableException {
        throw new NoSuchTableException(name);
    }

    @Override
    public Table alterTable(Identifier name, TableChange... changes) throws NoSuchTableException {
        throw new NoSuchTableException(name);
    }

    @Override
    public boolean dropTable(Identifier name) {
        return false;
    }

    @Override
    public void renameTable(Identifier from, Identifier to) throws NoSuchTableException {
        throw new NoSuchTableException(from);
    }

    @Override
    public String[][] listNamespaces() {
        return new String[0][];
    }

    @Override
    public String[][] listNamespaces(String[] namespace) {
        return new String[0][];
    }

    @Override
    public Map<String, String> loadNamespaceMetadata(String[] namespace) {
        return Map.of();
    }

    @Override
    public void createNamespace(String[] namespace, Map<String, String> properties) {
        throw new UnsupportedOperationException("expressions make no namespaces");
    }

    @Override
    public void alterNamespace(String[] namespace, NamespaceChange... changes) {
        throw new UnsupportedOperationException("expressions alter no namespaces");
    }

    @Override
    public boolean dropNamespace(String[] namespace, boolean cascade) {
        return false;
    }
}
