/** The ends of a graph at the user's own program: rows that Python gives, rows that it or Spark takes, the terminal. */
package io.despina.operator.program;
