/** How a program, or an operator of another job, finds a job that runs, reads its rows and gives it some. */
package io.despina.control.visit;
