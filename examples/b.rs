use twistbase::tables::*; use twistbase::levelset::Kernel; use std::time::Instant;
struct P(Instant); impl twistbase::context::Progress for P{ fn begin(&self,s:&str,_:u64,_:&str){ println!("{s} at {:?}",self.0.elapsed());} fn advance(&self,_:u64){} fn note(&self,l:&str){println!("{l}")} fn end(&self){println!("end {:?}",self.0.elapsed())}}
fn main(){
  let t=Instant::now();
  let ctx=twistbase::context::Context::new(Default::default(),std::sync::Arc::new(P(t)));
  let s=twistbase::store::Store::open("/tmp/store");
  let r=build(&s,find(&std::env::args().nth(1).unwrap()).unwrap(),&BuildRequest{force:true,memory:16<<30,kernel:Kernel::detect()},&ctx).unwrap();
  println!("{:?} {:?}",t.elapsed(),r);
}
