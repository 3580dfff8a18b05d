package io.despina.expr.catalyst.text;

import io.despina.expr.catalyst.analysis.Problems;
import java.time.format.DateTimeParseException;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.spark.SparkThrowable;
import org.apache.spark.sql.catalyst.util.PartialValueException;
import org.apache.spark.sql.catalyst.util.StringAsDataTypeException;

/** Why Spark's parsers refuse a record, for whoever wrote it: what they advise is for whoever writes SQL. */
final class BadText {
    private static final Pattern NO_NUMBER = Pattern.compile("For input string: \"(.*?)\".*", Pattern.DOTALL);

    private BadText() {
    }

    static String reason(Throwable bad) {
        Throwable cause = bad;
        while (cause instanceof PartialValueException of) {
            cause = of.cause();
        }
        if (cause instanceof StringAsDataTypeException wrong) {
            return "field `" + wrong.fieldName() + "`: " + text(wrong.fieldValue()) + wrong.dataType().sql();
        }
        if (cause instanceof SparkThrowable spark && "CAST_INVALID_INPUT".equals(spark.getCondition())) {
            Map<String, String> parameters = spark.getMessageParameters();
            return text(parameters.get("expression").replaceAll("^'|'$", "")) + parameters.get("targetType").replace("\"", "");
        }
        if (cause instanceof DateTimeParseException wrong) {
            return text(wrong.getParsedString()) + "date or time";
        }
        if (cause.getMessage() == null) {
            return "no record of the schema";
        }
        Matcher noNumber = NO_NUMBER.matcher(cause.getMessage());
        if (cause instanceof NumberFormatException && noNumber.matches()) {
            return text(noNumber.group(1)) + "number of its column's type";
        }
        // of a map Spark keeps the keys alone, and then stumbles over their number
        return cause.getMessage().equals("requirement failed") ? "a value of a MAP is not of its type" : Problems.message(cause);
    }

    private static String text(String value) {
        return "the text `" + value + "` is no ";
    }
}
