package io.despina.expr.catalyst;

import java.time.ZoneId;
import java.util.Set;
import java.util.concurrent.Callable;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.SparkConf;
import org.apache.spark.sql.catalyst.FunctionIdentifier;
import org.apache.spark.sql.catalyst.QueryPlanningTracker;
import org.apache.spark.sql.catalyst.analysis.Analyzer;
import org.apache.spark.sql.catalyst.analysis.FunctionRegistry;
import org.apache.spark.sql.catalyst.analysis.FunctionRegistry$;
import org.apache.spark.sql.catalyst.analysis.RelationCache$;
import org.apache.spark.sql.catalyst.analysis.SimpleFunctionRegistry;
import org.apache.spark.sql.catalyst.analysis.TableFunctionRegistry$;
import org.apache.spark.sql.catalyst.catalog.InMemoryCatalog;
import org.apache.spark.sql.catalyst.catalog.SessionCatalog;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.connector.catalog.CatalogManager;
import org.apache.spark.sql.connector.catalog.DefaultCatalogManager;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.internal.SQLConf$;

/** Spark's parser and analyzer under one graph's settings, without a session. Thread-safe. */
final class Analysis {
    /** Functions that run any Java method: a graph is data, and names no code to run. */
    static final Set<String> FORBIDDEN = Set.of("reflect", "java_method", "try_reflect");

    private final SQLConf conf;
    private final Analyzer analyzer;
    private final CatalystSqlParser parser = new CatalystSqlParser();
    private final Rules rules;

    Analysis(boolean ansi, String timeZone) {
        conf = conf(ansi, timeZone);
        SessionCatalog session = new SessionCatalog(new InMemoryCatalog(new SparkConf(false), new Configuration(false)),
                functions(), TableFunctionRegistry$.MODULE$.builtin(), conf);
        CatalogManager catalogs = new DefaultCatalogManager(new NoCatalog(), session);
        analyzer = new Analyzer(catalogs, RelationCache$.MODULE$.empty(), scala.Option.apply(conf));
        rules = Rules.standard(catalogs);
    }

    private static FunctionRegistry functions() {
        SimpleFunctionRegistry functions = FunctionRegistry$.MODULE$.builtin().clone();
        for (FunctionIdentifier function : Scala.list(functions.listFunction())) {
            if (FORBIDDEN.contains(function.funcName())) {
                functions.dropFunction(function);
            }
        }
        return functions;
    }

    private Analysis(Analysis other, Rules rules) {
        conf = other.conf;
        analyzer = other.analyzer;
        this.rules = rules;
    }

    static SQLConf conf(boolean ansi, String timeZone) {
        try {
            ZoneId.of(timeZone, ZoneId.SHORT_IDS);
        } catch (java.time.DateTimeException e) {
            throw new IllegalArgumentException("time_zone=" + timeZone + ": " + e.getMessage(), e);
        }
        SQLConf conf = new SQLConf();
        conf.setConfString("spark.sql.ansi.enabled", Boolean.toString(ansi));
        conf.setConfString("spark.sql.session.timeZone", timeZone);
        conf.setConfString("spark.sql.groupByOrdinal", "false");
        return conf;
    }

    /** For tests: the same without one of the rules. */
    Analysis without(String rule) {
        return new Analysis(this, rules.without(rule));
    }

    SQLConf conf() {
        return conf;
    }

    /** Runs {@code body} under the graph's settings, whatever the thread had before. */
    <T> T under(Callable<T> body) {
        return under(conf, body);
    }

    static <T> T under(SQLConf conf, Callable<T> body) {
        return SQLConf$.MODULE$.withExistingConf(conf, () -> call(body));
    }

    private static <T> T call(Callable<T> body) {
        try {
            return body.call();
        } catch (Exception e) {
            throw Analysis.<RuntimeException>unchecked(e);
        }
    }

    @SuppressWarnings("unchecked")
    private static <E extends Exception> E unchecked(Exception e) throws E {
        throw (E) e;
    }

    /** Throws Spark's parse errors. To be called under the settings, as all below. */
    Expression parse(String text) {
        return parser.parseExpression(text);
    }

    /** Throws Spark's analysis errors. */
    LogicalPlan check(LogicalPlan plan) {
        return analyzer.executeAndCheck(plan, new QueryPlanningTracker(Scala.none()));
    }

    /** Makes a checked plan fit to compile. */
    LogicalPlan finish(LogicalPlan checked) {
        return rules.apply(checked);
    }
}
