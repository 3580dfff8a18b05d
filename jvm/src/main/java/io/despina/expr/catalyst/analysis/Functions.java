package io.despina.expr.catalyst.analysis;

import io.despina.expr.ExpressionException.Problem;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.spark.sql.catalyst.FunctionIdentifier;
import org.apache.spark.sql.catalyst.analysis.FunctionRegistry;
import org.apache.spark.sql.catalyst.analysis.FunctionRegistry$;
import org.apache.spark.sql.catalyst.analysis.SimpleFunctionRegistry;
import org.apache.spark.sql.catalyst.analysis.UnresolvedFunction;
import org.apache.spark.sql.catalyst.expressions.CurrentCatalog;
import org.apache.spark.sql.catalyst.expressions.CurrentDatabase;
import org.apache.spark.sql.catalyst.expressions.CurrentPath;
import org.apache.spark.sql.catalyst.expressions.CurrentUser;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.util.MapData;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StringType;

/**
 * The built-in functions of Spark that a graph may call. A graph is data: it must not name code to run, or files other than those
 * of its sources and sinks. Its rows are the same wherever it runs, so no value may depend on Spark's partitions, on a catalog,
 * or on the process's user.
 */
public final class Functions {

    /** Why a function is refused, as words that follow its name, and what to do instead. */
    record Reason(String why, String hint) {
    }

    private static final Reason RUNS_CODE = new Reason("can call any Java method, which a graph may not",
            "look for another built-in function");
    private static final Reason OF_SCANS = new Reason(
            "describes Spark's own file scans, which the engine does not have",
            "look for another built-in function");
    private static final Reason OF_PARTITIONS = new Reason(
            "counts within Spark's partitions: its values differ on Spark and with another parallelism",
            "use a column that numbers the rows, as `id` of a generator_source does");
    private static final Reason OF_CATALOG = new Reason("reads Spark's catalog, which a graph does not have",
            "write the name itself, or make it a parameter");
    private static final Reason OF_USER = new Reason("differs from one resource to another",
            "make it a parameter of the graph");
    private static final Reason OF_MODULE = new Reason("belongs to a module of Spark that the engine does not have",
            "look for another built-in function");
    private static final Reason OF_WINDOWS = new Reason("makes a window of several rows",
            "use an `aggregate` operator with a window");
    /** Functions that no graph may call. */
    static final Map<String, Reason> REFUSED = Map.ofEntries(
            Map.entry("reflect", RUNS_CODE), Map.entry("java_method", RUNS_CODE), Map.entry("try_reflect", RUNS_CODE),
            Map.entry("input_file_name", OF_SCANS), Map.entry("input_file_block_start", OF_SCANS),
            Map.entry("input_file_block_length", OF_SCANS), Map.entry("spark_partition_id", OF_SCANS),
            Map.entry("monotonically_increasing_id", OF_PARTITIONS), Map.entry("current_catalog", OF_CATALOG),
            Map.entry("current_database", OF_CATALOG), Map.entry("current_schema", OF_CATALOG),
            Map.entry("current_path", OF_CATALOG), Map.entry("current_user", OF_USER), Map.entry("user", OF_USER),
            Map.entry("session_user", OF_USER), Map.entry("from_avro", OF_MODULE), Map.entry("to_avro", OF_MODULE),
            Map.entry("schema_of_avro", OF_MODULE), Map.entry("from_protobuf", OF_MODULE), Map.entry("to_protobuf", OF_MODULE),
            Map.entry("session_window", OF_WINDOWS));

    /** Names of functions in other systems. */
    static final Map<String, String> SYNONYMS = Map.of("average", "avg", "maximum", "max", "minimum", "min", "total", "sum",
            "concatenate", "concat");
    /** Functions that are not for expressions, because operators replace them. */
    private static final Set<String> OF_OPERATORS = Set.of("generator_funcs", "window_funcs");

    private static final String INSTEAD =
            "compute it from the packet's values: pmod(xxhash64(id, 7), 1000) / 1000D is the same everywhere; 7 is its seed";
    /**
     * Random functions, with the number of arguments before a seed. With a seed they are refused, because Spark's values depend
     * on the partition. Without a seed, rows differ from run to run on purpose, and a warning says so.
     */
    static final Map<String, Integer> RANDOM = Map.of("rand", 0, "random", 0, "randn", 0, "uuid", 0, "shuffle", 1, "randstr", 1,
            "uniform", 2);
    /** Uses a random vector unless it is given one, but Spark declares it deterministic. */
    private static final String ENCRYPT = "aes_encrypt";
    /** A regular expression that finds texts that may hold one of these. */
    static final String CHANCE = String.join("|", RANDOM.keySet()) + "|" + ENCRYPT;
    private static final int ENCRYPT_MODE = 2;
    private static final int ENCRYPT_VECTOR = 4;

    /**
     * Functions that take a type as text, and the number of that argument. As JSON the text can name classes, and metadata with
     * expressions.
     */
    static final Map<String, Integer> TYPE_TEXTS = Map.of("from_json", 1, "from_csv", 1, "from_xml", 1, "variant_get", 2,
            "try_variant_get", 2);
    private static final Set<String> XML = Set.of("from_xml", "to_xml", "schema_of_xml");
    private static final String XSD = "rowValidationXSDPath";

    private Functions() {
    }

    /** Spark's registry with these functions guarded, however an expression refers to them. */
    static SimpleFunctionRegistry registry() {
        SimpleFunctionRegistry functions = FunctionRegistry$.MODULE$.builtin().clone();
        Map<String, Consumer<List<Expression>>> guards = guards();
        for (FunctionIdentifier function : Scala.<FunctionIdentifier>list(functions.listFunction())) {
            Consumer<List<Expression>> guard = guards.get(function.funcName());
            if (guard != null) {
                var spark = functions.lookupFunctionEntry(function).get();
                functions.dropFunction(function);       // replacing a function would log a warning
                functions.internalRegisterFunction(function, spark._1(), arguments -> {
                    guard.accept(Scala.list(arguments));
                    return spark._2().apply(arguments);
                });
            }
        }
        return functions;
    }

    /** Names to suggest for an unknown one: functions that a graph may call, and their synonyms. */
    static List<String> known() {
        FunctionRegistry all = FunctionRegistry$.MODULE$.builtin();
        List<String> known = new ArrayList<>(SYNONYMS.keySet());
        for (FunctionIdentifier function : Scala.<FunctionIdentifier>list(all.listFunction())) {
            String group = all.lookupFunction(function).get().getGroup();
            if (!REFUSED.containsKey(function.funcName()) && !OF_OPERATORS.contains(group)) {
                known.add(function.funcName());
            }
        }
        Collections.sort(known);
        return known;
    }

    private static Map<String, Consumer<List<Expression>>> guards() {
        Map<String, Consumer<List<Expression>>> guards = new HashMap<>();
        REFUSED.keySet().forEach(name -> guards.put(name, arguments -> {
            throw refusal(name);
        }));
        RANDOM.forEach((name, unseeded) -> guards.put(name, arguments -> refuseSeed(name, arguments.size() > unseeded)));
        TYPE_TEXTS.forEach((name, at) -> guards.put(name, arguments -> refuseJson(name, at, arguments)));
        XML.forEach(name -> guards.merge(name, arguments -> arguments.forEach(a -> refuseXsd(name, a)), Consumer::andThen));
        return guards;
    }

    private static Refused refusal(String name) {
        return Refused.function("`" + name + "` " + REFUSED.get(name).why(), REFUSED.get(name).hint());
    }

    private static void refuseSeed(String name, boolean seeded) {
        if (seeded) {
            throw Refused.function("`" + name + "` with a seed depends on Spark's partitions: its values differ on Spark"
                    + " and with another parallelism", INSTEAD);
        }
    }

    /** Spark reads the text as DDL first, and only if that fails as JSON. So valid DDL is never read as JSON. */
    private static void refuseJson(String name, int at, List<Expression> arguments) {
        Expression type = at < arguments.size() ? arguments.get(at) : null;
        if (type == null || !type.foldable() || !(type.dataType() instanceof StringType) || type.eval(null) == null) {
            return;     // Spark refuses all of these
        }
        String text = type.eval(null).toString().strip();
        if (text.startsWith("{") || text.startsWith("\"") || text.startsWith("[")) {
            throw Refused.function("the type that `" + name + "` takes is JSON, which may name classes and expressions",
                    "write it as DDL, for example 'id BIGINT, name STRING'");
        }
        DataType.fromDDL(text);
    }

    private static void refuseXsd(String name, Expression argument) {
        if (argument.dataType() instanceof MapType && argument.foldable() && argument.eval(null) instanceof MapData options) {
            for (Object key : options.keyArray().toObjectArray(DataTypes.StringType)) {
                if (XSD.equalsIgnoreCase(String.valueOf(key))) {
                    throw Refused.function("option `" + XSD + "` of `" + name + "` opens a file or a URL, which"
                            + " an expression may not", "leave it out");
                }
            }
        }
    }

    /** Refuses functions that were written as a bare word, without a call. */
    static void refuseBare(Expression resolved) {
        String name = resolved instanceof CurrentUser ? "current_user" : resolved instanceof CurrentCatalog ? "current_catalog"
                : resolved instanceof CurrentDatabase ? "current_database"
                : resolved instanceof CurrentPath ? "current_path" : null;
        if (name != null) {
            throw new Refused(resolved.origin(), Refused.FUNCTION, refusal(name).getMessage(), refusal(name).problem().hint());
        }
    }

    /** A caution if the parsed expression is a random function; else null. */
    static Problem caution(Expression parsed) {
        if (!(parsed instanceof UnresolvedFunction function)) {
            return null;
        }
        String name = function.nameParts().last().toLowerCase(Locale.ROOT);
        boolean chance = RANDOM.containsKey(name) || name.equals(ENCRYPT) && hasRandomVector(Scala.list(function.arguments()));
        return !chance ? null : new Problem(0, 0, 0, "chance", "`" + name
                + "` gives different values in each run, so the engine and Spark give different rows", INSTEAD);
    }

    private static boolean hasRandomVector(List<Expression> arguments) {
        boolean withoutVector = arguments.size() > ENCRYPT_MODE && arguments.get(ENCRYPT_MODE) instanceof Literal mode
                && "ECB".equalsIgnoreCase(String.valueOf(mode.value()));
        return arguments.size() <= ENCRYPT_VECTOR && !withoutVector;
    }
}
