package io.despina.expr.catalyst.analysis;

import java.time.ZoneId;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.QueryContext;
import org.apache.spark.SparkConf;
import org.apache.spark.sql.catalyst.QueryPlanningTracker;
import org.apache.spark.sql.catalyst.analysis.Analyzer;
import org.apache.spark.sql.catalyst.analysis.RelationCache$;
import org.apache.spark.sql.catalyst.analysis.TableFunctionRegistry$;
import org.apache.spark.sql.catalyst.catalog.InMemoryCatalog;
import org.apache.spark.sql.catalyst.catalog.SessionCatalog;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.trees.TreePattern$;
import org.apache.spark.sql.connector.catalog.CatalogManager;
import org.apache.spark.sql.connector.catalog.DefaultCatalogManager;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.internal.SQLConf$;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;

/** Spark's parser and analyzer under one graph's settings, without a session. Thread-safe. */
public final class Analysis {
    /** A literal such as {@code DATE '2020-01-01'}, and its string. */
    private static final Pattern TYPED = Pattern.compile("[A-Za-z_]+\\s*(r?['\"].*)", Pattern.CASE_INSENSITIVE | Pattern.DOTALL);
    private static final Set<DataType> DATES = Set.of(DataTypes.DateType, DataTypes.TimestampType, DataTypes.TimestampNTZType);

    private final SQLConf conf;
    private final Analyzer analyzer;
    private final CatalystSqlParser parser = new CatalystSqlParser();
    private final Rules rules;

    public Analysis(boolean ansi, String timeZone) {
        conf = conf(ansi, timeZone);
        SessionCatalog session = new SessionCatalog(new InMemoryCatalog(new SparkConf(false), new Configuration(false)),
                Functions.registry(), TableFunctionRegistry$.MODULE$.builtin(), conf);
        CatalogManager catalogs = new DefaultCatalogManager(new NoCatalog(), session);
        analyzer = new Analyzer(catalogs, RelationCache$.MODULE$.empty(), scala.Option.apply(conf));
        rules = Rules.standard();
    }

    private Analysis(Analysis other, Rules rules) {
        conf = other.conf;
        analyzer = other.analyzer;
        this.rules = rules;
    }

    public static SQLConf conf(boolean ansi, String timeZone) {
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

    /** The same for a job with that value of {@code now()}. */
    public Analysis at(long instantMicros) {
        return new Analysis(this, rules.at(instantMicros));
    }

    /** For tests: the same without one of the rules. */
    public Analysis without(String rule) {
        return new Analysis(this, rules.without(rule));
    }

    /** Runs {@code body} under the graph's settings, whatever the thread's own are. */
    public <T> T under(Callable<T> body) {
        return under(conf, body);
    }

    public static <T> T under(SQLConf conf, Callable<T> body) {
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

    /** Throws Spark's parse errors. Must be called under the settings, like all methods below. */
    public Expression parse(String text) {
        return parser.parseExpression(text);
    }

    /** Whether the parser computed this literal from the clock, as for {@code DATE 'today'}. */
    boolean readsClock(Literal literal) {
        Matcher typed = TYPED.matcher(written(literal));
        if (!DATES.contains(literal.dataType()) || !typed.matches()) {
            return false;
        }
        String word = String.valueOf(parse(typed.group(1)).eval(null)).strip();
        return !word.equalsIgnoreCase("epoch")
                && JobInstant.isSpecial(word, literal.dataType(), ZoneId.of(conf.sessionLocalTimeZone(), ZoneId.SHORT_IDS));
    }

    /** The part of the text that an expression was parsed from; empty if there is none. */
    static String written(Expression parsed) {
        QueryContext[] contexts = parsed.origin().getQueryContext();
        return contexts.length == 0 ? "" : contexts[0].fragment();
    }

    /** Throws Spark's analysis errors. */
    public LogicalPlan check(LogicalPlan plan) {
        LogicalPlan checked = analyzer.executeAndCheck(plan, new QueryPlanningTracker(Scala.none()));
        if (checked.containsPattern(TreePattern$.MODULE$.CURRENT_LIKE())) {
            checked.foreach(Scala.each(p -> Scala.list(p.expressions())
                    .forEach(e -> e.foreach(Scala.each(Functions::refuseBare)))));
        }
        return checked;
    }

    /** Makes a checked plan fit to compile. */
    public LogicalPlan finish(LogicalPlan checked) {
        return rules.apply(checked);
    }
}
