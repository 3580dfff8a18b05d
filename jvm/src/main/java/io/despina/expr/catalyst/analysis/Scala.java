package io.despina.expr.catalyst.analysis;

import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import scala.Option;
import scala.PartialFunction;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.runtime.AbstractPartialFunction;
import scala.runtime.BoxedUnit;

/** Converts Java values to the Scala types of Spark's interfaces, and back. */
public final class Scala {

    private Scala() {
    }

    public static <T> Seq<T> seq(List<? extends T> list) {
        return CollectionConverters.<T>asScala(List.copyOf(list)).toList();
    }

    public static <T> Seq<T> seq() {
        return seq(List.<T>of());
    }

    public static <T> Seq<T> seq(T item) {
        return seq(List.of(item));
    }

    public static <T> scala.collection.immutable.Set<T> set(T item) {
        return CollectionConverters.<T>asScala(Set.of(item)).toSet();
    }

    public static <T> List<T> list(scala.collection.Seq<? extends T> seq) {
        return List.copyOf(CollectionConverters.<T>asJava(widen(seq)));
    }

    @SuppressWarnings("unchecked")
    private static <T> scala.collection.Seq<T> widen(scala.collection.Seq<? extends T> seq) {
        return (scala.collection.Seq<T>) seq;
    }

    public static <T> Option<T> none() {
        return Option.empty();
    }

    /** A partial function that is undefined where {@code replacement} returns null. */
    public static <T> PartialFunction<T, T> replacing(Function<T, T> replacement) {
        return new Replacing<>(replacement);
    }

    public static <T> scala.Function1<T, Object> test(Predicate<? super T> predicate) {
        return predicate::test;
    }

    public static <T> scala.Function1<T, BoxedUnit> each(Consumer<? super T> consumer) {
        return item -> {
            consumer.accept(item);
            return BoxedUnit.UNIT;
        };
    }

    private static final class Replacing<T> extends AbstractPartialFunction<T, T> {
        private static final long serialVersionUID = 1L;
        private final transient Function<T, T> replacement;

        Replacing(Function<T, T> replacement) {
            this.replacement = replacement;
        }

        @Override
        public boolean isDefinedAt(T x) {
            return replacement.apply(x) != null;
        }

        @Override
        public <A extends T, B> B applyOrElse(A x, scala.Function1<A, B> otherwise) {
            T y = replacement.apply(x);
            @SuppressWarnings("unchecked")
            B result = y == null ? otherwise.apply(x) : (B) y;
            return result;
        }
    }
}
