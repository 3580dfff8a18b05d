package io.despina;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Which cases of the connectors' contract a test tries: {@code "jdbc: cut, absent"}. {@code docs/connectors.md} is made of these
 * and of the marks of Python's tests; {@code tests/support/connector_cases.py} has the words.
 */
@Retention(RetentionPolicy.SOURCE)
@Target({ElementType.METHOD, ElementType.TYPE})
public @interface ConnectorCase {
    String value();
}
