package io.despina.expr.catalyst.codegen;

import io.despina.expr.catalyst.analysis.Scala;
import java.util.Map;
import org.apache.spark.sql.catalyst.expressions.codegen.CodeCompiler$;
import org.apache.spark.sql.catalyst.expressions.codegen.GeneratedClass;
import org.codehaus.commons.compiler.CompileException;
import org.codehaus.commons.compiler.InternalCompilerException;
import org.codehaus.janino.ClassBodyEvaluator;

/**
 * The Java compiler of generated code, as Spark's own {@code JaninoCodeCompiler} uses it, which does not expose the bytes.
 * Nothing else names a class of Janino's: its jars are signed, and to verify that takes a tenth of a second, which a JVM that
 * compiles nothing shall not pay.
 */
final class Janino {

    private Janino() {
    }

    /** The classes by their names. */
    static Map<String, byte[]> compile(String className, String body) throws UncompiledException {
        ClassBodyEvaluator evaluator = new ClassBodyEvaluator();
        evaluator.setParentClassLoader(Janino.class.getClassLoader());
        evaluator.setClassName(className);
        evaluator.setDefaultImports(Scala.list(CodeCompiler$.MODULE$.DefaultImports()).toArray(String[]::new));
        evaluator.setExtendedClass(GeneratedClass.class);
        try {
            evaluator.cook("generated.java", body);
        } catch (CompileException | InternalCompilerException e) {
            throw new UncompiledException(e.getMessage(), e);
        }
        return evaluator.getBytecodes();
    }
}
